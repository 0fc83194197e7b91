import { afterAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openFolder } from '../../../src/files/folder'
import { removeOldStaged } from '../../../src/files/staging'

const folder = mkdtempSync(join(tmpdir(), 'parley-killed-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const start = (script: string, ...args: string[]) =>
  Bun.spawn([process.execPath, join(import.meta.dir, script), ...args], { stdout: 'pipe', stderr: 'inherit' })

describe('files', () => {
  test('are whole under their names if the process is killed while it stores them', async () => {
    const storage = openFolder(join(folder, 'killed'))
    for (let round = 0; round < 3; round++) {
      const victim = start('victim.ts', join(folder, 'killed'))
      // A file and a preview are complete, others are being made.
      const reader = victim.stdout.getReader()
      await reader.read()
      await Bun.sleep(round * 13)
      victim.kill('SIGKILL')
      await victim.exited
    }
    let [files, previews] = [0, 0]
    for await (const { object } of storage.list()) {
      const bytes = readFileSync(join(folder, 'killed', object))
      if (object.endsWith('.webp')) previews += (await new Bun.Image(bytes).metadata()).width === 900 ? 1 : Number.NaN
      if (!object.startsWith('wsp_1/')) continue
      expect(object).toEndWith(new Bun.CryptoHasher('sha256').update(bytes).digest('hex'))
      files++
    }
    expect(files).toBeGreaterThan(0)
    expect(previews).toBeGreaterThanOrEqual(3)
    await removeOldStaged(storage.stagingFolder, -60_000)
    expect(readdirSync(storage.stagingFolder)).toEqual([])
  })

  test('of any size take little memory', async () => {
    const child = start('large-body.ts', join(folder, 'large'), '300')
    const output = await new Response(child.stdout).text()
    expect(await child.exited).toBe(0)
    expect(Number(output)).toBeLessThan(64)
  })
})
