import { describe, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, readdirSync, rmSync, statfsSync, statSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { openSpace, readSpace, reserveOf } from '../../src/files/space'
import { picture } from '../me/pictures'
import { jpegPhoto } from '../once/files/photos'
import { engineUnderTest, startTestServer } from '../server'
import { type Person, world } from '../world'

const MB = 1_000_000
const GIB = 1024 ** 3
const RESERVE = 256 * 1024 ** 2
const full = { code: 'storage_full', status: 507 }
const bytes = (size: number) => new Blob([new Uint8Array(size).fill(size % 251)])

/** A server on a disk of 2 GiB, of which `room` bytes are free beyond the reserve; the stored files count. */
async function onSmallDisk(room: number) {
  const disk = { room, databaseRoom: Number.POSITIVE_INFINITY, lowest: Number.POSITIVE_INFINITY }
  const server = await startTestServer(
    {},
    {
      readSpace: async (folder) => {
        const isDatabase = folder !== server.parley.files.storage.stagingFolder
        const free = isDatabase ? disk.databaseRoom : disk.room - sizeBelow(folderOf())
        if (!isDatabase) disk.lowest = Math.min(disk.lowest, free)
        return { totalBytes: 2 * GIB, freeBytes: RESERVE + free }
      },
    },
  )
  const { storage, space } = server.parley.files
  const folderOf = () => dirname(storage.stagingFolder)
  const left = () => (existsSync(storage.stagingFolder) ? readdirSync(storage.stagingFolder) : [])
  return { ...(await world(server)), disk, space, left, used: () => sizeBelow(folderOf()) }
}

/** The larger of two looks: a file that is moved during one of them may be missed. */
const sizeBelow = (folder: string) => Math.max(sumSizes(folder), sumSizes(folder))

function sumSizes(folder: string): number {
  if (!existsSync(folder)) return 0
  const sizes = readdirSync(folder, { recursive: true, withFileTypes: true }).map((entry) =>
    // It may have been moved or removed since.
    entry.isFile() ? (statSync(join(entry.parentPath, entry.name), { throwIfNoEntry: false })?.size ?? 0) : 0,
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}

/** Sends the head of an upload and no byte of its body. Returns the response. */
function sendHead(baseUrl: string, { token }: Person, header: string): Promise<string> {
  const { hostname, port, host } = new URL(baseUrl)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () =>
      socket.write(
        `POST /v2/files HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${token}\r\nContent-Type: text/plain\r\n${header}\r\n\r\n`,
      ),
    )
    let response = ''
    socket.on('data', (data) => {
      response += data
    })
    socket.on('close', () => resolve(response))
    socket.on('error', reject)
  })
}

describe('an upload to a disk that is almost full', () => {
  test('is refused before its first byte is read, and everything else goes on', async () => {
    const { ada, bob, general, baseUrl, disk, space, used } = await onSmallDisk(30 * MB)
    const { id } = await ada.files.upload({ file: await picture('png', [40, 20]) })
    expect((await ada.files.content({ id, size: 'small' })).status).toBe(200)
    const before = used()

    for (const header of [`Content-Length: ${31 * MB}`, 'Transfer-Encoding: chunked']) {
      const response = await sendHead(baseUrl, ada, header)
      expect(response).toStartWith('HTTP/1.1 507 ')
      expect(response.toLowerCase()).toContain('connection: close')
      expect(response).toContain('"code":"storage_full"')
      expect(response).toContain('Ask the operator to free some space.')
    }
    expect((await ada.files.upload({ file: bytes(MB) })).size).toBe(MB)
    disk.room = used()
    await expect(ada.files.upload({ file: bytes(2) })).rejects.toMatchObject(full)
    await expect(bob.me.setAvatar({ file: await picture() })).rejects.toMatchObject(full)
    await expect(ada.files.content({ id, size: 'large' })).rejects.toMatchObject(full)
    expect((await ada.files.content({ id, size: 'small' })).status).toBe(200)
    expect((await ada.files.content({ id })).status).toBe(200)
    expect((await ada.posts.create({ channel_id: general.id, file_ids: [id] })).id).toBeString()
    expect([used() - before, space.heldBytes()]).toEqual([MB, 0])

    disk.room += 30 * MB
    expect((await ada.files.content({ id, size: 'large' })).status).toBe(200)
    await bob.me.setAvatar({ file: await picture() })
    disk.databaseRoom = -1
    const upload = ada.files.upload({ file: bytes(3) })
    if (engineUnderTest === 'sqlite') await expect(upload).rejects.toMatchObject(full)
    else expect((await upload).size).toBe(3)
  })

  test('and many others at once leave the reserve', async () => {
    const { ada, tokenFor, disk, space, left, used } = await onSmallDisk(20 * MB)
    const tokens = await Promise.all(Array.from({ length: 5 }, () => tokenFor(ada.id, ['write'])))
    const uploads = Array.from({ length: 50 }, (_, at) => tokens[at % 5]!.files.upload({ file: bytes(MB + at) }))
    const results = await Promise.allSettled(uploads)
    const refused = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []))
    for (const reason of refused) expect(reason).toMatchObject(full)
    const stored = 50 - refused.length
    expect(stored).toBeGreaterThan(0)
    expect(stored).toBeLessThan(20)
    expect(disk.lowest).toBeGreaterThanOrEqual(0)
    expect([used() < 20 * MB, space.heldBytes(), left()]).toEqual([true, 0, []])
    // All the room that is left can be used.
    const rest = 20 * MB - used()
    expect((await ada.files.upload({ file: bytes(rest) })).size).toBe(rest)
    await expect(ada.files.upload({ file: bytes(1) })).rejects.toMatchObject(full)
  })

  test('counts all that begin in the same moment', async () => {
    const space = openSpace({ files: '/' }, async () => ({ totalBytes: 2 * GIB, freeBytes: RESERVE + 20 * MB }))
    const end = Promise.withResolvers<void>()
    const holds = Array.from({ length: 50 }, () => space.hold(MB, () => end.promise))
    await Promise.allSettled(holds.slice(20))
    expect(space.heldBytes()).toBe(20 * MB)
    end.resolve()
    const results = await Promise.allSettled(holds)
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(20)
    expect(space.heldBytes()).toBe(0)
  })

  test('that is cancelled, too short or too long gives the space back', async () => {
    const { ada, raw, disk, space, left } = await onSmallDisk(300 * MB)
    const controller = new AbortController()
    const endless = new ReadableStream<Uint8Array>({ start: (body) => body.enqueue(new Uint8Array(1_000)) })
    const cancelled = ada.files.upload({ file: endless }, { signal: controller.signal })
    while (space.heldBytes() !== 100 * MB - 1_000) await Bun.sleep(1)
    controller.abort()
    await expect(cancelled).rejects.toThrow()
    const short = raw(ada, '/v2/files', {
      method: 'POST',
      body: '--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nhalf',
      headers: { 'Content-Type': 'multipart/form-data; boundary=x' },
    })
    expect((await short).status).toBe(400)
    while (space.heldBytes() > 0) await Bun.sleep(1)

    // Another program fills the disk meanwhile.
    let sent = 0
    const large = new ReadableStream<Uint8Array>({
      async pull(body) {
        if (sent > 5 * MB) disk.room = 0
        if (sent > 20 * MB) return body.close()
        body.enqueue(new Uint8Array(MB))
        sent += MB
        await Bun.sleep(1)
      },
    })
    await expect(ada.files.upload({ file: large })).rejects.toMatchObject(full)
    while (space.heldBytes() > 0) await Bun.sleep(1)
    expect(left()).toEqual([])
    expect((await ada.files.list()).data).toEqual([])
  })

  test('is refused if the copy without metadata does not fit', async () => {
    const { ada, disk, left } = await onSmallDisk(100 * MB)
    const photo = new Blob([(await jpegPhoto(6)) as Uint8Array<ArrayBuffer>], { type: 'image/jpeg' })
    disk.room = photo.size
    await expect(ada.files.upload({ file: photo })).rejects.toMatchObject(full)
    disk.room = 2 * photo.size
    expect((await ada.files.upload({ file: photo })).content_type).toBe('image/jpeg')
    expect(left()).toEqual([])
  })
})

test('the reserve is 5 % of the disk, at least 256 MiB and at most 5 GiB, or a quarter of a small disk', () => {
  expect([0.4, 1, 2, 20, 100, 4_000].map((size) => reserveOf(size * GIB) / GIB)).toEqual([0.1, 0.25, 0.25, 1, 5, 5])
})

test('the space of a folder is that of its file system, also if the folder does not exist yet', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-space-'))
  const { blocks, bsize } = statfsSync(folder)
  for (const path of [folder, join(folder, 'not', 'yet')]) {
    const { totalBytes, freeBytes } = await readSpace(path)
    expect(totalBytes).toBe(blocks * bsize)
    expect(freeBytes).toBeWithin(0, totalBytes)
  }
  rmSync(folder, { recursive: true })
})

test('/metrics tells how much is free', async () => {
  const { raw } = await onSmallDisk(30 * MB)
  const text = await (await raw(undefined, '/metrics')).text()
  expect(text).toContain(`parley_disk_free_bytes{of="files"} ${RESERVE + 30 * MB}`)
  expect(text).toContain(`parley_disk_reserve_bytes{of="files"} ${RESERVE}`)
})
