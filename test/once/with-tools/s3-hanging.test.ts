import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { StorageUnavailable } from '../../../src/files/storage'
import { ApiError } from '../../client'
import { parley } from '../../command'
import { ownTime } from '../../cpu-time'
import { picture } from '../../me/pictures'
import { startTestServer } from '../../server'
import { objectsOf } from '../../stored-objects'
import { world } from '../../world'
import { randomBytes } from '../files/storage-suite'
import { type Fault, type S3Proxy, startS3Proxy } from './s3-proxy'
import { KEYS, type S3Server, startS3 } from './s3-server'

setDefaultTimeout(300_000)

/** The storage is given up after 8 seconds. */
const MAX_SECONDS = 10

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

const urlOf = (prefix: string) => `s3://parley/${prefix}?endpoint=http://127.0.0.1:${proxy.port}&region=us-east-1`

/** A server whose files are in S3, with some of them. */
async function home(prefix: string) {
  const server = await startTestServer({ FILES_URL: urlOf(prefix), ...KEYS })
  const cast = await world(server)
  const { ada } = cast
  const small = await ada.files.upload({ file: new Blob(['small']), name: 'small.txt' })
  const [smallObject] = await objectsOf(cast)
  const large = await ada.files.upload({ file: new Blob([randomBytes(1_000_000)]), name: 'large.bin' })
  const photos = []
  for (const width of [500, 501, 502, 503, 504, 505])
    photos.push(await ada.files.upload({ file: await picture('jpeg', [width, 250]), name: 'photo.jpg' }))
  // So many colours that the picture is larger than what arrives of it.
  await ada.me.setAvatar({
    file: await picture('png', [300, 300], (x, y) => [(x * y) % 256, (x * 7) % 256, (y * 13) % 256]),
  })
  const avatar = (await ada.me.get()).author.avatar_urls.xl
  return {
    ...cast,
    env: { DATABASE_URL: server.config.databaseUrl, FILES_URL: urlOf(prefix), ...KEYS },
    small,
    smallObject: smallObject!,
    large,
    photos,
    avatar,
  }
}

/** Accepts all, and then stops: in the middle of what is uploaded or downloaded, or before the first byte. */
const hang =
  (smallObject: string) =>
  (request: string): Fault | undefined => {
    if (/^(?:PUT|DELETE)/.test(request)) return { isSilent: true, stopAfter: 300_000 }
    if (/\/parley\/?\?/.test(request)) return { holdAfter: 50 }
    if (request.includes('.webp')) return undefined
    return request.includes(smallObject) ? { isSilent: true } : { holdAfter: 1_000 }
  }

interface Outcome {
  seconds: number
  error: unknown
}

async function outcomeOf(work: () => Promise<unknown>): Promise<Outcome> {
  const started = ownTime()
  const error = await work().then(
    () => undefined,
    (thrown) => thrown,
  )
  return { seconds: (ownTime() - started) / 1000, error }
}

describe('a storage that hangs', () => {
  test('is given up after 8 seconds, holds up nobody else, and is used again as soon as it responds', async () => {
    const { ada, bob, general, small, smallObject, large, photos, avatar, server, env } = await home('hanging')
    const { storage } = server.parley.files
    proxy.faultOf = hang(smallObject)

    const once = { retries: 0 }
    const requests = {
      upload: () => ada.files.upload({ file: new Blob(['new']) }, once),
      'large upload': () => ada.files.upload({ file: new Blob([randomBytes(9_000_000)]) }, once),
      'upload of unknown length': () => ada.files.upload({ file: new Blob([randomBytes(2_000_000)]).stream() }, once),
      picture: async () => bob.me.setAvatar({ file: await picture('webp') }, once),
      download: () => ada.files.content({ id: small.id }, once),
      head: () => fetchProblem(`${server.url}/v2/files/${small.id}/content`, ada.token),
      avatar: () => fetchProblem(avatar!),
      ...Object.fromEntries(
        photos.map(({ id }, at) => [`preview ${at}`, () => ada.files.content({ id, size: 'small' }, once)]),
      ),
      ...Object.fromEntries(
        Array.from({ length: 40 }, (_, at) => [`more ${at}`, () => bob.files.content({ id: small.id }, once)]),
      ),
    }
    // Everyone can see it, so that others can wait for it, too.
    await ada.posts.create({ channel_id: general.id, file_ids: [small.id] })

    const running = Promise.all(
      Object.entries(requests).map(async ([name, send]) => [name, await outcomeOf(send as () => Promise<unknown>)]),
    ) as Promise<[string, Outcome][]>
    const jobs = Promise.all([
      outcomeOf(() => storage.delete(smallObject)),
      outcomeOf(() => storage.check()),
      outcomeOf(() => Array.fromAsync(storage.list())),
    ])
    const half = outcomeOf(async () => (await ada.files.content({ id: large.id }, once)).bytes())
    const doctor = parley(['doctor'], env)

    const pings: number[] = []
    let isOver = false
    const pinging = (async () => {
      while (!isOver) {
        pings.push((await outcomeOf(() => bob.me.get())).seconds)
        await Bun.sleep(50)
      }
    })()
    const outcomes = await running
    const [jobOutcomes, { seconds, error }] = await Promise.all([jobs, half])
    isOver = true
    await pinging

    for (const [name, outcome] of outcomes) {
      expect([name, outcome.error]).toEqual([name, expect.any(ApiError)])
      const { code, status, headers } = outcome.error as ApiError
      expect([name, status, code, headers.get('retry-after')]).toEqual([name, 503, 'storage_unavailable', '5'])
      expect([name, outcome.seconds < MAX_SECONDS || outcome.seconds]).toEqual([name, true])
    }
    for (const outcome of jobOutcomes) {
      expect(outcome.error).toBeInstanceOf(StorageUnavailable)
      expect(outcome.seconds).toBeLessThan(MAX_SECONDS)
    }
    // The connection ends, so that a part is not taken for the whole.
    expect(error).toBeInstanceOf(Error)
    expect(seconds).toBeLessThan(MAX_SECONDS)
    expect(pings.sort((a, b) => a - b)[pings.length >> 1]).toBeLessThan(0.25)
    const { code, stdout } = await doctor
    expect(stdout).toContain('✗ files: s3://parley/hanging')
    expect(stdout).toContain('it takes too long')
    expect(code).toBe(1)

    proxy.faultOf = () => undefined
    expect(await (await ada.files.content({ id: small.id }, once)).text()).toBe('small')
    expect((await (await ada.files.content({ id: large.id }, once)).bytes()).length).toBe(1_000_000)
    for (const { id } of photos) expect((await ada.files.content({ id, size: 'small' }, once)).status).toBe(200)
    expect((await fetch(avatar!)).status).toBe(200)
    expect((await ada.files.upload({ file: new Blob(['new']) }, once)).size).toBe(3)
    expect(readdirSync(storage.stagingFolder)).toEqual([])
  })

  test('does not keep a command running that is done', async () => {
    const server = await startTestServer({ FILES_URL: urlOf('listed'), ...KEYS })
    proxy.faultOf = (request) => (/\/parley\/?\?/.test(request) ? { isSilent: true } : undefined)
    try {
      const env = { DATABASE_URL: server.config.databaseUrl, FILES_URL: urlOf('listed'), ...KEYS }
      const started = performance.now()
      const { code, stdout } = await parley(['doctor'], env)
      expect(stdout).toContain('✗ files: s3://parley/listed')
      expect(code).toBe(1)
      // The time-out, and some for the other checks.
      expect((performance.now() - started) / 1000).toBeLessThan(2 * MAX_SECONDS)
    } finally {
      proxy.faultOf = () => undefined
    }
  })
})

async function fetchProblem(url: string, token?: string) {
  const response = await fetch(url, { ...(token && { headers: { Authorization: `Bearer ${token}` } }) })
  if (!response.ok) throw new ApiError(response.status, response.headers, await response.text())
}
