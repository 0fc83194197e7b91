import { afterAll, describe, expect, spyOn, test } from 'bun:test'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openFolder } from '../../../src/files/folder'
import { openPreviews, originalOf, PreviewFailed, previewsOf } from '../../../src/files/previews'
import { StorageUnavailable } from '../../../src/files/storage'
import { picture } from '../../me/pictures'
import { gif, jpegPhoto } from './photos'

const folder = mkdtempSync(join(tmpdir(), 'parley-previews-'))
const storage = openFolder(folder)
const previews = openPreviews(storage, { workers: 1, maxWaiting: 2 })
afterAll(async () => {
  await previews.close()
  rmSync(folder, { recursive: true, force: true })
})

/** With it, requests arrive in the order in which they are made, before the first of them is done. */
const readInOrder: typeof storage.read = async (object, range) =>
  existsSync(join(folder, object)) ? storage.read(object, range) : undefined

const read = async (object: string, size: 'small' | 'medium' | 'large', from = previews) =>
  new Response((await from.read(object, size))!.stream()).bytes()

describe('previews', () => {
  test('fit into their sizes, are never enlarged, and are stored beside the original', async () => {
    await storage.write('wsp_1/ab/photo', await (await picture('png', [1_000, 500])).bytes())
    const sizes = []
    for (const size of ['small', 'medium', 'large'] as const)
      sizes.push(await new Bun.Image(await read('wsp_1/ab/photo', size)).metadata())
    expect(sizes).toEqual([
      { width: 360, height: 180, format: 'webp' },
      { width: 800, height: 400, format: 'webp' },
      { width: 1_000, height: 500, format: 'webp' },
    ])
    expect(readdirSync(join(folder, 'wsp_1/ab')).sort()).toEqual(
      ['wsp_1/ab/photo', ...previewsOf('wsp_1/ab/photo')].map((object) => object.slice('wsp_1/ab/'.length)).sort(),
    )
    expect(new Set(previewsOf('wsp_1/ab/photo').map(originalOf))).toEqual(new Set(['wsp_1/ab/photo']))
    expect(readdirSync(storage.stagingFolder)).toEqual([])
  })

  test('are turned as the photo is, without its metadata, and of the first frame of an animation', async () => {
    await storage.write('wsp_1/ab/turned', await jpegPhoto(6))
    const turned = await read('wsp_1/ab/turned', 'small')
    expect(await new Bun.Image(turned).metadata()).toEqual({ width: 40, height: 60, format: 'webp' })
    expect(Buffer.from(turned).includes('GPS')).toBe(false)
    await storage.write('wsp_1/ab/animated', gif(1, 1, 3))
    expect(await new Bun.Image(await read('wsp_1/ab/animated', 'small')).metadata()).toMatchObject({ width: 1 })
  })

  test('are made once for all requests; if the queue is full, a request is refused', async () => {
    const image = await (await picture('png', [300, 200])).bytes()
    const objects = ['1', '2', '3', '4', '5'].map((name) => `wsp_1/ab/many-${name}`)
    for (const object of objects) await storage.write(object, image)
    let puts = 0
    const counted = {
      ...storage,
      read: readInOrder,
      put: (...args: Parameters<typeof storage.put>) => ++puts && storage.put(...args),
    }
    const limited = openPreviews(counted as typeof storage, { workers: 1, maxWaiting: 2 })
    const asked = objects.flatMap((object) => Array.from({ length: 3 }, () => limited.read(object, 'small')))
    const results = await Promise.allSettled(asked)
    const made = results.filter(({ status }) => status === 'fulfilled')
    const refused = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []))
    expect(made.length).toBe(9)
    expect(puts).toBe(3)
    expect(refused.every((error) => error instanceof StorageUnavailable)).toBe(true)
    // Later there is room again.
    for (const object of objects) expect(await limited.read(object, 'small')).toBeDefined()
    await limited.close()
  })

  test('are made for everyone, also while one viewer asks for too many', async () => {
    const image = await (await picture('png', [300, 200])).bytes()
    const objects = ['1', '2', '3', '4', '5'].map((name) => `wsp_1/ab/fair-${name}`)
    for (const object of objects) await storage.write(object, image)
    const limited = openPreviews({ ...storage, read: readInOrder }, { workers: 1, maxWaiting: 2 })
    const asked = objects.slice(1).map((object) => limited.read(object, 'small', 1))
    await expect(Promise.all(asked)).rejects.toBeInstanceOf(StorageUnavailable)
    expect(await limited.read(objects[0]!, 'small', 2)).toBeDefined()
    await Promise.allSettled(asked)
    await limited.close()
  })

  test('that someone else waits for are refused to none but them', async () => {
    const image = await (await picture('png', [300, 200])).bytes()
    const objects = ['1', '2', '3', '4', '5'].map((name) => `wsp_1/ab/both-${name}`)
    for (const object of objects) await storage.write(object, image)
    const limited = openPreviews({ ...storage, read: readInOrder }, { workers: 1, maxWaiting: 3 })
    const many = Promise.allSettled(objects.slice(0, 4).map((object) => limited.read(object, 'small', 1)))
    // The newest that the first viewer waits for.
    const same = limited.read(objects[3]!, 'small', 2)
    const other = limited.read(objects[4]!, 'small', 3)
    expect(await same).toBeDefined()
    expect(await other).toBeDefined()
    expect((await many).map(({ status }) => status)).toContain('rejected')
    await limited.close()
  })

  test('of what cannot be decoded fail, and the next ones are made all the same', async () => {
    const broken = Buffer.from(await (await picture('png', [300, 200])).bytes()).fill(7, 60)
    await storage.write('wsp_1/ab/broken', broken)
    await storage.write('wsp_1/ab/text', Buffer.from('no image'))
    await expect(previews.read('wsp_1/ab/broken', 'small')).rejects.toBeInstanceOf(PreviewFailed)
    await expect(previews.read('wsp_1/ab/broken', 'large')).rejects.toBeInstanceOf(PreviewFailed)
    await expect(previews.read('wsp_1/ab/text', 'small')).rejects.toBeInstanceOf(PreviewFailed)
    expect(await previews.read('wsp_1/ab/nothing', 'small')).toBeUndefined()
    await storage.write('wsp_1/ab/good', await (await picture('webp')).bytes())
    expect(await previews.read('wsp_1/ab/good', 'small')).toBeDefined()
    expect(readdirSync(storage.stagingFolder)).toEqual([])
  })

  test('are deleted if the image is erased while they are made', async () => {
    await storage.write('wsp_1/cd/erased', await (await picture('png', [300, 200])).bytes())
    const put: typeof storage.put = async (object, staged) => {
      await storage.delete('wsp_1/cd/erased')
      await storage.put(object, staged)
    }
    const racing = openPreviews({ ...storage, put }, { workers: 1 })
    expect(await racing.read('wsp_1/cd/erased', 'small')).toBeUndefined()
    expect(readdirSync(join(folder, 'wsp_1/cd'))).toEqual([])
    await racing.close()
  })

  test('are made by a new process if the last one was killed, without the secrets of the server', async () => {
    const image = await (await picture('png', [300, 200])).bytes()
    for (const name of ['first', 'next']) await storage.write(`wsp_1/ab/${name}`, image)
    process.env.PARLEY_TEST_SECRET = 'secret'
    const spawned = spyOn(Bun, 'spawn')
    const made = openPreviews(storage, { workers: 1 })
    try {
      await made.read('wsp_1/ab/first', 'small')
      const child = spawned.mock.results[0]!.value as Bun.Subprocess
      if (existsSync('/proc'))
        expect(readFileSync(`/proc/${child.pid}/environ`, 'latin1').split('\0').filter(Boolean)).toEqual([
          'BUN_BE_BUN=1',
        ])
      child.kill('SIGKILL')
      await child.exited
      expect(await made.read('wsp_1/ab/next', 'small')).toBeDefined()
    } finally {
      delete process.env.PARLEY_TEST_SECRET
      spawned.mockRestore()
      await made.close()
    }
  })

  test('that take too long are given up', async () => {
    await storage.write('wsp_1/ab/slow', await (await picture('png', [300, 200])).bytes())
    const hurried = openPreviews(storage, { timeoutMs: 1 })
    await expect(hurried.read('wsp_1/ab/slow', 'small')).rejects.toThrow('it takes too long')
    await hurried.close()
  })
})
