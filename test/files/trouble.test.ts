import { describe, expect, spyOn, test } from 'bun:test'
import { chmodSync, existsSync, readdirSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { StorageUnavailable } from '../../src/files/storage'
import { openUploadSlots } from '../../src/gate/files/files'
import { watchRate } from '../../src/http/files'
import { picture } from '../me/pictures'
import { startTestServer } from '../server'
import { objectsOf } from '../stored-objects'
import { world } from '../world'

const text = (words: string) => new Blob([words], { type: 'text/plain' })

/** A body that sends a few bytes and then waits until it is told to end. */
function openBody() {
  let end = () => {}
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(Buffer.from('a'.repeat(1_000)))
      end = () => controller.close()
    },
  })
  return { stream, end: () => end() }
}

describe('uploads', () => {
  test('of one token are limited in number, and the others go on', async () => {
    const { ada, bob, server } = await world()
    const { slots } = server.parley.files
    const bodies = Array.from({ length: 10 }, openBody)
    const before = slots.active()
    const running = bodies.map(({ stream }) => ada.files.upload({ file: stream }))
    while (slots.active() < before + 10) await Bun.sleep(1)
    const refused = ada.files.upload({ file: text('x') })
    await expect(refused).rejects.toMatchObject({ code: 'rate_limited', status: 429 })
    expect((await bob.files.upload({ file: text('x') })).size).toBe(1)
    for (const { end } of bodies) end()
    expect((await Promise.all(running)).every(({ size }) => size === 1_000)).toBe(true)
    expect((await ada.files.upload({ file: text('x') })).size).toBe(1)
  })

  test('of all together are limited too', () => {
    const slots = openUploadSlots(2, 3)
    const release = slots.take(1)
    slots.take(1)
    expect(() => slots.take(1)).toThrow(expect.objectContaining({ code: 'rate_limited' }))
    slots.take(2)
    expect(() => slots.take(2)).toThrow(expect.objectContaining({ code: 'unavailable' }))
    release()
    slots.take(2)
    expect(slots.active()).toBe(3)
  })

  test('that arrive too slowly are ended, also if a byte comes now and then', async () => {
    const drip = new ReadableStream<Uint8Array>({
      async pull(controller) {
        await Bun.sleep(1)
        controller.enqueue(Buffer.from('a'))
      },
    })
    for (const body of [openBody().stream, drip]) {
      const watched = watchRate(body, { tickMs: 5, windowTicks: 5, bytesPerWindow: 2_000 })
      const read = async () => {
        for await (const _ of watched);
      }
      await expect(read()).rejects.toMatchObject({ code: 'request_timeout' })
    }
  })

  test('whose client disconnects leave nothing', async () => {
    const { ada, server } = await world()
    const { slots, storage } = server.parley.files
    const before = slots.active()
    const { stream } = openBody()
    const controller = new AbortController()
    const call = ada.files.upload({ file: stream }, { signal: controller.signal })
    while (slots.active() === before) await Bun.sleep(1)
    controller.abort()
    await expect(call).rejects.toThrow()
    while (slots.active() > before) await Bun.sleep(1)
    if (existsSync(storage.stagingFolder)) expect(readdirSync(storage.stagingFolder)).toEqual([])
    expect((await ada.files.list()).data).toEqual([])
  })
})

test('while the storage is not available, only files fail, and they work again as soon as it is back', async () => {
  const server = await startTestServer()
  try {
    const { ada, general } = await world(server)
    const file = await ada.files.upload({ file: text('kept') })
    const folder = dirname(server.parley.files.storage.stagingFolder)
    const unavailable = { code: 'storage_unavailable', status: 503 }
    // As a file system that is not mounted: root may write to a folder without rights.
    renameSync(folder, `${folder}.away`)
    writeFileSync(folder, '')
    chmodSync(folder, 0o600)
    const failed = ada.files.upload({ file: text('lost') })
    await expect(failed).rejects.toMatchObject(unavailable)
    const error = await failed.catch((problem) => problem)
    expect(error.headers.get('retry-after')).toBe('5')
    await expect(ada.files.content({ id: file.id })).rejects.toMatchObject(unavailable)
    expect((await ada.files.get({ id: file.id })).size).toBe(4)
    expect((await ada.posts.create({ channel_id: general.id, file_ids: [file.id] })).id).toBeString()

    renameSync(folder, `${folder}.wrong`)
    renameSync(`${folder}.away`, folder)
    expect(await (await ada.files.content({ id: file.id })).text()).toBe('kept')
    expect((await ada.files.upload({ file: text('new') })).size).toBe(3)
    expect((await ada.files.limits()).used_bytes).toBe(7)
  } finally {
    await server.stop()
  }
})

test('a preview is closed if its bytes are not wanted', async () => {
  const { ada, raw, server } = await world()
  const { id } = await ada.files.upload({ file: await picture('png', [40, 20]) })
  const preview = Buffer.from(await (await ada.files.content({ id, size: 'small' })).bytes())
  const { storage } = server.parley.files
  const { read } = storage
  let closed = 0
  storage.read = async (name, range) => {
    const found = await read(name, range)
    return found && { ...found, cancel: () => void closed++ }
  }
  try {
    const part = await raw(ada, `/v2/files/${id}/content?size=small`, { headers: { Range: 'bytes=8-11' } })
    expect([part.status, await part.text(), closed]).toEqual([206, 'WEBP', 1])
    const beyond = await raw(ada, `/v2/files/${id}/content?size=small`, { headers: { Range: 'bytes=99999-' } })
    expect([beyond.status, closed]).toEqual([416, 2])
    const head = await raw(ada, `/v2/files/${id}/content?size=small`, { method: 'HEAD' })
    expect([head.headers.get('content-length'), closed]).toEqual([String(preview.length), 3])
  } finally {
    storage.read = read
  }
})

describe('a preview', () => {
  const unavailable = { code: 'storage_unavailable', status: 503 }

  test('is made once its process is no longer killed, and at once if it is killed only once', async () => {
    const server = await startTestServer()
    const { ada } = await world(server)
    const { id } = await ada.files.upload({ file: await picture('png', [40, 20]) })
    // So large that it is decoded by the same process.
    const large = await picture('png', [2_100, 2_000])
    const { spawn } = Bun
    let kills = 0
    const spawned = spyOn(Bun, 'spawn').mockImplementation(((...args: Parameters<typeof spawn>) => {
      const child = spawn(...args)
      if (kills-- > 0) child.kill('SIGKILL')
      return child
    }) as typeof spawn)
    try {
      for (let round = 0; round < 3; round++) {
        kills = 2
        await expect(ada.files.content({ id, size: 'small' })).rejects.toMatchObject(unavailable)
      }
      kills = 2
      await expect(ada.me.setAvatar({ file: large })).rejects.toMatchObject(unavailable)
      kills = 1
      expect((await ada.files.content({ id, size: 'small' })).status).toBe(200)
      expect((await ada.files.content({ id, size: 'large' })).status).toBe(200)
    } finally {
      spawned.mockRestore()
    }
  }, 300_000)

  test('is made once the storage works again', async () => {
    const server = await startTestServer()
    const { ada } = await world(server)
    const { storage } = server.parley.files
    const fail = () => Promise.reject(new StorageUnavailable('It fails once.'))
    const { id } = await ada.files.upload({ file: await picture('png', [40, 20]) })
    for (const [method, size] of [
      ['read', 'small'],
      ['findSize', 'medium'],
      ['put', 'large'],
    ] as const) {
      const failing = spyOn(storage, method).mockImplementationOnce(fail)
      await expect(ada.files.content({ id, size })).rejects.toMatchObject(unavailable)
      failing.mockRestore()
      expect((await ada.files.content({ id, size })).status).toBe(200)
    }
  })
})

describe('a file whose object is missing', () => {
  test('is not available, while everything else is', async () => {
    const cast = await world()
    const { ada, server } = cast
    const { id } = await ada.files.upload({ file: await picture('png', [40, 20]) })
    for (const object of await objectsOf(cast)) await server.parley.files.storage.delete(object)
    const unavailable = { code: 'storage_unavailable', status: 503 }
    await expect(ada.files.content({ id })).rejects.toMatchObject(unavailable)
    await expect(ada.files.content({ id, size: 'small' })).rejects.toMatchObject(unavailable)
    expect((await ada.files.get({ id })).id).toBe(id)
  })

  test('is not found if it was deleted just before it is read', async () => {
    const cast = await world()
    const { ada, server } = cast
    const { storage } = server.parley.files
    const { read } = storage
    for (const size of [undefined, 'small'] as const) {
      const { id } = await ada.files.upload({ file: await picture('png', [40, 20]) })
      const [object] = await objectsOf(cast)
      storage.read = async (name, range) => {
        storage.read = read
        await ada.files.delete({ id })
        await storage.delete(object!)
        return read(name, range)
      }
      try {
        await expect(ada.files.content({ id, size })).rejects.toMatchObject({ code: 'not_found', status: 404 })
      } finally {
        storage.read = read
      }
    }
  })
})
