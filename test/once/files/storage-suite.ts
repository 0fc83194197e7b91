import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { stage } from '../../../src/files/staging'
import type { Storage } from '../../../src/files/storage'

export const randomBytes = (length: number) => {
  const bytes = new Uint8Array(length)
  for (let at = 0; at < length; at += 65_536) crypto.getRandomValues(bytes.subarray(at, at + 65_536))
  return bytes
}

export const stageBytes = (storage: Storage, bytes: Uint8Array<ArrayBuffer>) =>
  stage(new Blob([bytes]).stream(), { folder: storage.stagingFolder, maxBytes: 2 ** 30 })

export async function readAll(storage: Storage, object: string, range?: { start: number; end: number }) {
  const found = await storage.read(object, range)
  return found && Buffer.from(await new Response(found.stream()).arrayBuffer())
}

/** What every storage must do. */
export function testStorage(open: () => Storage): void {
  test('an object is stored, read in whole and in parts, and deleted', async () => {
    const storage = open()
    const bytes = randomBytes(6 * 1024 * 1024 + 7)
    const staged = await stageBytes(storage, bytes)
    await storage.put('wsp_1/ab/abcdef-1', staged)
    expect(existsSync(staged.path)).toBe(false)

    const first = await storage.read('wsp_1/ab/abcdef-1', { start: 0, end: 1 })
    expect([first?.size, await storage.findSize('wsp_1/ab/abcdef-1')]).toEqual([bytes.length, bytes.length])
    first!.cancel()
    expect(Bun.hash(await readAll(storage, 'wsp_1/ab/abcdef-1').then((all) => all!))).toBe(Bun.hash(bytes))
    for (const [start, end] of [
      [0, 1],
      [1_000_000, 3_000_001],
      [bytes.length - 1, bytes.length],
      [5, 5],
    ] as const) {
      const part = await readAll(storage, 'wsp_1/ab/abcdef-1', { start, end })
      expect(part?.equals(bytes.subarray(start, end))).toBe(true)
    }

    await storage.delete('wsp_1/ab/abcdef-1')
    await storage.delete('wsp_1/ab/abcdef-1')
    expect(await storage.read('wsp_1/ab/abcdef-1')).toBeUndefined()
    expect(await storage.findSize('wsp_1/ab/abcdef-1')).toBeUndefined()
  })

  test('an object may be empty', async () => {
    const storage = open()
    await storage.put('wsp_1/00/empty', await stageBytes(storage, new Uint8Array(0)))
    expect(await storage.findSize('wsp_1/00/empty')).toBe(0)
    expect(await readAll(storage, 'wsp_1/00/empty')).toEqual(Buffer.alloc(0))
    await storage.delete('wsp_1/00/empty')
  })

  test('objects are listed in the order of their names, with their sizes', async () => {
    const storage = open()
    const names = ['wsp_2/ab/b', 'wsp_1/ab/a.small.webp', 'wsp_1/cd/a', 'wsp_1/ab/a']
    for (const [size, name] of names.entries()) await storage.write(name, new Uint8Array(size))
    const listed = await Array.fromAsync(storage.list())
    expect(listed.map(({ object, size }) => [object, size])).toEqual([
      ['wsp_1/ab/a', 3],
      ['wsp_1/ab/a.small.webp', 1],
      ['wsp_1/cd/a', 2],
      ['wsp_2/ab/b', 0],
    ])
    expect(listed.every(({ modifiedAt }) => Math.abs(Date.now() - modifiedAt) < 3_600_000)).toBe(true)
    for (const name of names) await storage.delete(name)
    expect(await Array.fromAsync(storage.list())).toEqual([])
  })

  test('a check leaves nothing behind', async () => {
    const storage = open()
    await storage.check()
    expect(await Array.fromAsync(storage.list())).toEqual([])
    expect(existsSync(storage.stagingFolder) ? await readdir(storage.stagingFolder) : []).toEqual([])
  })

  test('a reader that stops early closes what it read', async () => {
    const storage = open()
    await storage.write('wsp_1/ab/early', randomBytes(1_000_000))
    const reader = (await storage.read('wsp_1/ab/early'))!.stream().getReader()
    await reader.read()
    await reader.cancel()
    await storage.delete('wsp_1/ab/early')
  })

  test('names that could leave the storage are refused', async () => {
    const storage = open()
    const names = [
      '../a/b',
      'a/../b',
      'a',
      '/a/b',
      'a//b',
      'a/.b',
      'a/b\0c',
      'incoming/a',
      'a/b/',
      'a\\b/c',
      `a/${'b'.repeat(600)}`,
    ]
    for (const name of names) {
      await expect((async () => storage.read(name))()).rejects.toThrow('Not a name of an object')
      await expect((async () => storage.write(name, new Uint8Array(1)))()).rejects.toThrow('Not a name of an object')
      await expect((async () => storage.delete(name))()).rejects.toThrow('Not a name of an object')
    }
    expect(await Array.fromAsync(storage.list())).toEqual([])
  })
}
