import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { createConnection, createServer, type Server, type Socket } from 'node:net'
import { openStorage } from '../../../src/files/open'
import { openPreviews } from '../../../src/files/previews'
import { openS3 } from '../../../src/files/s3'
import { StorageUnavailable } from '../../../src/files/storage'
import { picture } from '../../me/pictures'
import { randomBytes, readAll, stageBytes, testStorage } from '../files/storage-suite'
import { freePort, KEYS, type S3Server, startS3 } from './s3-server'

let s3: S3Server
let port = 0
let proxy: Server
let proxyPort = 0
/** What the proxy does with the next requests: cuts the connection after so many bytes of the server or the client, sends no more, or keeps silent. */
let faults: { downAfter?: number; upAfter?: number; holdAfter?: number; isSilent?: boolean }[] = []
const sockets = new Set<Socket>()
/** The connection of the latest request that got only a part of its answer. */
let held: Socket | undefined

function relay(client: Socket): void {
  let fault: (typeof faults)[number] | undefined
  let [up, down] = [0, 0]
  const upstream = createConnection(port, '127.0.0.1')
  const end = () => [client, upstream].map((socket) => socket.destroy())
  for (const socket of [client, upstream]) sockets.add(socket.on('error', end).on('close', end))
  client.on('data', (bytes) => {
    // Connections are used again, so each request has its own fault.
    if (/^(?:GET|PUT|DELETE) \//.test(bytes.toString('latin1', 0, 8))) {
      fault = faults.shift()
      up = 0
      down = 0
    }
    up += bytes.length
    if (fault?.upAfter !== undefined && up > fault.upAfter) return end()
    if (!fault?.isSilent) upstream.write(bytes)
  })
  upstream.on('data', (bytes) => {
    down += bytes.length
    if (fault?.downAfter !== undefined && down > fault.downAfter) return end()
    const beyond = Math.max(0, down - (fault?.holdAfter ?? down))
    if (beyond > 0) held = client
    if (beyond < bytes.length) client.write(bytes.slice(0, bytes.length - beyond))
  })
}

beforeAll(async () => {
  s3 = await startS3()
  port = s3.port
  proxy = createServer(relay).listen(0, '127.0.0.1')
  await new Promise((resolve) => proxy.once('listening', resolve))
  proxyPort = (proxy.address() as { port: number }).port
})
afterAll(async () => {
  for (const socket of sockets) socket.destroy()
  proxy?.close()
  await s3?.close()
})

const open = (prefix = 'files') =>
  openStorage(`s3://parley/${prefix}?endpoint=http://127.0.0.1:${port}&region=us-east-1`, KEYS)
const openProxied = (timeoutMs = 10_000) =>
  openS3({
    ...{ bucket: 'parley', prefix: 'proxied', region: 'us-east-1', timeoutMs },
    ...{ endpoint: `http://127.0.0.1:${proxyPort}`, accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' },
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
      [`s3://nothing-here?endpoint=http://127.0.0.1:${port}`, KEYS],
      [
        `s3://parley?endpoint=http://127.0.0.1:${port}`,
        { S3_ACCESS_KEY_ID: 'nobody', S3_SECRET_ACCESS_KEY: 'very-secret' },
      ],
    ] as const) {
      const storage = openStorage(url, keys)
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
    faults = [{ upAfter: 1_000_000 }]
    await storage.put('wsp_1/ab/halfway', await stageBytes(storage, bytes))
    faults = [{ downAfter: 1_000_000 }, { downAfter: 500_000 }]
    expect((await readAll(storage, 'wsp_1/ab/halfway'))?.equals(bytes)).toBe(true)
    faults = [{ downAfter: 1_000_000 }]
    const range = { start: 7, end: 2_500_000 }
    expect((await readAll(storage, 'wsp_1/ab/halfway', range))?.equals(bytes.subarray(7, 2_500_000))).toBe(true)
    faults = []
    await storage.delete('wsp_1/ab/halfway')
  })

  test('an object that is not wanted is closed at once', async () => {
    const storage = openProxied()
    await storage.write('wsp_1/ab/unwanted', randomBytes(3_000_000))
    faults = [{ holdAfter: 100_000 }]
    const { size, cancel } = (await storage.read('wsp_1/ab/unwanted'))!
    expect(size).toBe(3_000_000)
    while (!held) await Bun.sleep(5)
    expect(held.destroyed).toBe(false)
    cancel()
    while (!held.destroyed) await Bun.sleep(5)
    faults = []
    await storage.delete('wsp_1/ab/unwanted')
  }, 15_000)

  test('an upload that fails every time leaves nothing', async () => {
    const storage = openProxied()
    const staged = await stageBytes(storage, randomBytes(3_000_000))
    faults = Array.from({ length: 5 }, () => ({ upAfter: 1_000_000 }))
    expect(await failure(storage.put('wsp_1/ab/never', staged))).toBeInstanceOf(StorageUnavailable)
    faults = []
    expect(await Bun.file(staged.path).exists()).toBe(false)
    expect(await storage.read('wsp_1/ab/never')).toBeUndefined()
    expect(await Array.fromAsync(storage.list())).toEqual([])
  })

  test('requests without a response time out, and work again as soon as it responds', async () => {
    const storage = openProxied(150)
    faults = Array.from({ length: 3 }, () => ({ isSilent: true }))
    expect((await failure(storage.check())).message).toBe('The file storage (S3) is not available: it takes too long.')
    faults = Array.from({ length: 3 }, () => ({ isSilent: true }))
    expect((await failure(storage.read('wsp_1/ab/x'))).message).toContain('it takes too long')
    faults = []
    await openProxied().check()
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
