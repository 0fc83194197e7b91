import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { readConfig } from '../../../src/config'
import { openStorage } from '../../../src/files/open'
import { openPreviews } from '../../../src/files/previews'
import { openS3 } from '../../../src/files/s3'
import { StorageUnavailable } from '../../../src/files/storage'
import { picture } from '../../me/pictures'
import { freePort } from '../../postgres'
import { randomBytes, readAll, stageBytes, testStorage } from '../files/storage-suite'
import { type S3Proxy, startS3Proxy } from './s3-proxy'
import { KEYS, type S3Server, startS3 } from './s3-server'

setDefaultTimeout(300_000)

let s3: S3Server
let proxy: S3Proxy
beforeAll(async () => {
  s3 = await startS3()
  proxy = await startS3Proxy(s3.port)
})
afterAll(async () => {
  proxy?.close()
  await s3?.close()
})

const open = (prefix = 'files') => openStorage(readConfig({ FILES_URL: s3.urlOf(prefix), ...KEYS }))
const openProxied = (timeoutMs = 10_000, { port } = proxy) =>
  openS3({
    ...{ bucket: 'parley', prefix: 'proxied', region: 'us-east-1', timeoutMs },
    ...{ endpoint: `http://127.0.0.1:${port}`, accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' },
  })
const failure = (work: Promise<unknown>): Promise<Error> =>
  work.then(
    () => new Error('It worked.'),
    (error) => error,
  )

describe('S3', () => {
  testStorage(open)

  test('two prefixes in one bucket do not see each other', async () => {
    await open('a').write('wsp_1/ab/x', randomBytes(1))
    expect(await Array.fromAsync(open('b').list())).toEqual([])
    expect(await open('b').read('wsp_1/ab/x')).toBeUndefined()
    await open('a').delete('wsp_1/ab/x')
  })

  test('that cannot be reached, has no such bucket or refuses the key is not available, and no secret is told', async () => {
    const closed = await freePort()
    for (const [url, keys] of [
      [`s3://parley?endpoint=http://127.0.0.1:${closed}`, KEYS],
      [`s3://nothing-here?endpoint=http://127.0.0.1:${s3.port}`, KEYS],
      [
        `s3://parley?endpoint=http://127.0.0.1:${s3.port}`,
        { S3_ACCESS_KEY_ID: 'nobody', S3_SECRET_ACCESS_KEY: 'very-secret' },
      ],
    ] as const) {
      const storage = openStorage(readConfig({ FILES_URL: url, ...keys }))
      const staged = await stageBytes(storage, randomBytes(1_000))
      const errors = [
        await failure(storage.check()),
        await failure(storage.read('wsp_1/ab/x')),
        await failure(storage.put('wsp_1/ab/x', staged)),
        await failure(Array.fromAsync(storage.list())),
      ]
      expect(errors.map(({ message }) => message)).not.toContain('It worked.')
      for (const error of errors) {
        expect(error).toBeInstanceOf(StorageUnavailable)
        expect(Bun.inspect(error)).not.toMatch(/very-secret|nobody|Signature=|X-Amz|S3RVER/)
      }
      expect(await Bun.file(staged.path).exists()).toBe(false)
    }
  })

  test('uploads and downloads recover from connections that break halfway', async () => {
    const storage = openProxied()
    const bytes = randomBytes(3_000_000)
    proxy.faults = [{ upAfter: 1_000_000 }]
    await storage.put('wsp_1/ab/halfway', await stageBytes(storage, bytes))
    proxy.faults = [{ downAfter: 1_000_000 }, { downAfter: 500_000 }]
    expect((await readAll(storage, 'wsp_1/ab/halfway'))?.equals(bytes)).toBe(true)
    proxy.faults = [{ downAfter: 1_000_000 }]
    const range = { start: 7, end: 2_500_000 }
    expect((await readAll(storage, 'wsp_1/ab/halfway', range))?.equals(bytes.subarray(7, 2_500_000))).toBe(true)
    proxy.faults = []
    await storage.delete('wsp_1/ab/halfway')
  })

  test('an object that is not wanted is closed at once', async () => {
    // It is not closed because it takes too long.
    const storage = openProxied(300_000)
    await storage.write('wsp_1/ab/unwanted', randomBytes(3_000_000))
    proxy.faults = [{ holdAfter: 100_000 }]
    const { size, cancel } = (await storage.read('wsp_1/ab/unwanted'))!
    expect(size).toBe(3_000_000)
    while (!proxy.held) await Bun.sleep(5)
    expect(proxy.held!.destroyed).toBe(false)
    cancel()
    while (!proxy.held!.destroyed) await Bun.sleep(5)
    proxy.faults = []
    await storage.delete('wsp_1/ab/unwanted')
  }, 120_000)

  // This server may store a part of an interrupted upload, even after it was told to delete it, so its objects are not looked at.
  test('an upload that fails every time is deleted from the disk and from the storage', async () => {
    const storage = openProxied()
    const staged = await stageBytes(storage, randomBytes(3_000_000))
    proxy.faults = Array.from({ length: 3 }, () => ({ upAfter: 1_000_000 }))
    proxy.methods = []
    expect(await failure(storage.put('wsp_1/ab/never', staged))).toBeInstanceOf(StorageUnavailable)
    expect(await Bun.file(staged.path).exists()).toBe(false)
    expect(proxy.methods).toEqual(['PUT', 'PUT', 'PUT', 'DELETE'])
    await storage.delete('wsp_1/ab/never')
  })

  test('requests without a response time out, and work again as soon as it responds', async () => {
    const storage = openProxied(150)
    proxy.faultOf = () => ({ isSilent: true })
    expect((await failure(storage.check())).message).toBe('The file storage (S3) is not available: it takes too long.')
    expect((await failure(storage.read('wsp_1/ab/x'))).message).toContain('it takes too long')
    proxy.faultOf = () => undefined
    await openProxied().check()
  })

  test('that is slow is waited for as long as something arrives', async () => {
    // A connection that was fast has buffers in which all of the file fits, and then nothing could be seen of its progress.
    const slow = await startS3Proxy(s3.port)
    const storage = openProxied(5_000, slow)
    const bytes = randomBytes(24_000_000)
    const timed = async (work: Promise<unknown>) => {
      const started = performance.now()
      await work
      return performance.now() - started
    }
    slow.faultOf = () => ({ slowUntil: 12_000_000 })
    try {
      const staged = await stageBytes(storage, bytes)
      expect(await timed(storage.put('wsp_1/ab/slow', staged))).toBeGreaterThan(5_000)
      const read = readAll(storage, 'wsp_1/ab/slow')
      expect(await timed(read)).toBeGreaterThan(5_000)
      expect((await read)?.equals(bytes)).toBe(true)
    } finally {
      slow.close()
    }
    await openProxied().delete('wsp_1/ab/slow')
  })

  test('previews are made of objects in it, and no copy of the original stays', async () => {
    const storage = open('previews')
    const previews = openPreviews(storage)
    await storage.write('wsp_1/ab/photo', await (await picture('jpeg', [500, 250])).bytes())
    const preview = await new Response((await previews.read('wsp_1/ab/photo', 'small'))!.stream()).bytes()
    expect(await new Bun.Image(preview).metadata()).toEqual({ width: 360, height: 180, format: 'webp' })
    expect((await Array.fromAsync(storage.list())).map(({ object }) => object)).toEqual([
      'wsp_1/ab/photo',
      'wsp_1/ab/photo.small.webp',
    ])
    expect(readdirSync(storage.stagingFolder)).toEqual([])
    await previews.close()
  })
})
