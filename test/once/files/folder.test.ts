import { afterAll, describe, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStorage } from '../../../src/files/open'
import { FileTooLarge, removeOldStaged, stage } from '../../../src/files/staging'
import { StorageUnavailable } from '../../../src/files/storage'
import { randomBytes, stageBytes, testStorage } from './storage-suite'

const folder = mkdtempSync(join(tmpdir(), 'parley-folder-'))
const open = () => openStorage({ filesUrl: `file:${folder}/files` })
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('a folder', () => {
  testStorage(open)

  test('is readable by its user alone', async () => {
    const storage = open()
    await storage.put('wsp_1/ab/mode', await stageBytes(storage, randomBytes(10)))
    await storage.write('wsp_1/ab/mode-2', randomBytes(10))
    const modes = ['', '/incoming', '/wsp_1/ab', '/wsp_1/ab/mode', '/wsp_1/ab/mode-2'].map(
      (path) => statSync(`${folder}/files${path}`).mode & 0o777,
    )
    expect(modes).toEqual([0o700, 0o700, 0o700, 0o600, 0o600])
    await storage.delete('wsp_1/ab/mode')
    await storage.delete('wsp_1/ab/mode-2')
  })

  test('that is no folder or on a full disk is not available, and says why', async () => {
    writeFileSync(join(folder, 'file'), '')
    const storage = openStorage({ filesUrl: join(folder, 'file/files') })
    await expect(storage.check()).rejects.toBeInstanceOf(StorageUnavailable)
    await expect(stageBytes(storage, randomBytes(10))).rejects.toThrow('the folder is not a folder (ENOTDIR)')
    // Writing to it fails as on a full disk.
    if (existsSync('/dev/full')) {
      const { onDisk } = await import('../../../src/files/disk')
      await expect(onDisk(async () => writeFileSync('/dev/full', 'x'))).rejects.toThrow('the disk is full (ENOSPC)')
    }
  })
})

describe('staging', () => {
  const staging = join(folder, 'staging')

  test('a body that is too large is refused while it arrives, and leaves nothing', async () => {
    let pulls = 0
    let isCancelled = false
    const endless = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        pulls++
        controller.enqueue(new Uint8Array(1_000))
      },
      cancel: () => {
        isCancelled = true
      },
    })
    await expect(stage(endless, { folder: staging, maxBytes: 10_000 })).rejects.toBeInstanceOf(FileTooLarge)
    expect(pulls).toBeLessThan(20)
    expect(isCancelled).toBe(true)
    expect(readdirSync(staging)).toEqual([])
  })

  test('a body of exactly the maximum is accepted, with its hash', async () => {
    const bytes = randomBytes(10_000)
    const staged = await stage(new Blob([bytes]).stream(), { folder: staging, maxBytes: 10_000 })
    expect(staged).toMatchObject({ size: 10_000, hash: new Bun.CryptoHasher('sha256').update(bytes).digest('hex') })
    expect(statSync(staged.path).mode & 0o777).toBe(0o600)
    rmSync(staged.path)
  })

  test('a body that breaks off leaves nothing', async () => {
    let pulls = 0
    const broken = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (++pulls > 3) throw new Error('The connection is gone.')
        controller.enqueue(new Uint8Array(1_000))
      },
    })
    await expect(stage(broken, { folder: staging, maxBytes: 1e6 })).rejects.toThrow('The connection is gone.')
    expect(readdirSync(staging)).toEqual([])
  })

  test('what a killed process left is removed once it is old', async () => {
    writeFileSync(join(staging, 'old'), 'x')
    writeFileSync(join(staging, 'new'), 'x')
    utimesSync(join(staging, 'old'), 0, 0)
    await removeOldStaged(staging, 86_400_000)
    expect(readdirSync(staging)).toEqual(['new'])
    await removeOldStaged(join(folder, 'nowhere'), 0)
  })
})
