import { describe, expect, test } from 'bun:test'
import { readPicture } from '../../src/gate/files/pictures'
import { runChecks } from '../../src/store/checks/consistency'
import { deleteUnusedBlobs } from '../../src/store/files/blobs'
import { problem } from '../http/wire'
import { objectsOf } from '../stored-objects'
import { type Person, type World, world } from '../world'
import { bitmap, picture } from './pictures'

const put = (cast: World, who: Person, body: BodyInit, type = 'image/png') =>
  cast.raw(who, '/v2/me/avatar', { method: 'PUT', body, headers: { 'Content-Type': type } })

const avatarOf = async (who: Person) => (await who.me.get()).author.avatar_urls

/** The approximate colour of the upper left quarter of a picture. */
async function colourOf(url: string): Promise<string> {
  const png = await new Bun.Image(await (await fetch(url)).arrayBuffer())
    .resize(2, 2)
    .png({ compressionLevel: 0 })
    .buffer()
  const data = new Uint8Array(png.subarray(png.indexOf('IDAT') + 4))
  const [red, green, blue] = Bun.inflateSync(data.subarray(2)).subarray(1, 4)
  return red! > 150 ? 'red' : green! > 150 ? 'green' : blue! > 150 ? 'blue' : 'none'
}

describe('me.setAvatar', () => {
  test('shows the picture everywhere, in six sizes, cached forever', async () => {
    const { ada, bob, general, events } = await world()
    const post = await ada.posts.create({ channel_id: general.id, content_markdown: 'Before' })
    await bob.posts.get({ id: post.id })
    await ada.me.setAvatar({ file: await picture() })
    const urls = await avatarOf(ada)
    expect((await bob.posts.get({ id: post.id })).author.avatar_urls).toEqual(urls)
    expect((await bob.posts.list()).data[0]!.author.avatar_urls).toEqual(urls)
    expect((await bob.members.get({ id: ada.id })).user.avatar_urls).toEqual(urls)

    const sizes = { xs: 20, sm: 24, base: 32, lg: 40, xl: 64, xxl: 112 }
    for (const [size, pixels] of Object.entries(sizes)) {
      const url = urls[size as keyof typeof sizes]
      expect(url).toMatch(new RegExp(`/avatars/${pixels}/pic_[0-9a-f]{32}\\.webp$`))
      for (let time = 0; time < 2; time++) {
        const response = await fetch(url)
        expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/webp'])
        expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
        expect(response.headers.get('x-content-type-options')).toBe('nosniff')
        const { width, height, format } = await new Bun.Image(await response.arrayBuffer()).metadata()
        expect([width, height, format]).toEqual([pixels, pixels, 'webp'])
      }
    }
    expect(await events()).toEqual(['post.created', 'member.updated'])
  })

  test.each([
    [300, 100],
    [100, 300],
    [3000, 40],
  ] as [number, number][])('keeps the square in the middle of %i × %i', async (width, height) => {
    const { ada } = await world()
    const middle = Math.min(width, height) / 2
    const isMiddle = (x: number, y: number) => Math.abs(x - width / 2) < middle && Math.abs(y - height / 2) < middle
    const file = await picture('png', [width, height], (x, y) => (isMiddle(x, y) ? [20, 200, 20] : [220, 20, 20]))
    await ada.me.setAvatar({ file })
    expect(await colourOf((await avatarOf(ada)).xxl)).toBe('green')
  })

  test('rotates a photo upright, and removes its metadata', async () => {
    const cast = await world()
    const upsideDown = await picture('jpeg', [64, 64], (_, y) => (y < 32 ? [20, 20, 220] : [220, 20, 20]))
    const photo = withExif(new Uint8Array(await upsideDown.arrayBuffer()), 3, '52.5200 N, 13.4050 E')
    expect(Buffer.from(photo).includes('13.4050')).toBe(true)
    expect((await put(cast, cast.ada, photo, 'image/jpeg')).status).toBe(204)
    const { xxl } = await avatarOf(cast.ada)
    expect(await colourOf(xxl)).toBe('red')
    const name = xxl.match(/pic_\w+/)![0]
    const kept = Buffer.from((await readPicture(cast.server.parley, name))!)
    expect(kept.includes('13.4050')).toBe(false)
    expect(kept.includes('EXIF')).toBe(false)
    const { width, height, format } = await new Bun.Image(kept).metadata()
    expect([width, height, format]).toEqual([512, 512, 'webp'])
  })

  test.each(['png', 'jpeg', 'webp'] as const)('accepts %s', async (format) => {
    const { ada } = await world()
    await ada.me.setAvatar({ file: await picture(format) })
    expect(await colourOf((await avatarOf(ada)).xl)).toBe('red')
  })

  test('uses the first frame of a GIF', async () => {
    const cast = await world()
    expect((await put(cast, cast.ada, Buffer.from(DOT, 'base64'), 'image/gif')).status).toBe(204)
    expect((await fetch((await avatarOf(cast.ada)).xs)).status).toBe(200)
  })

  test('refuses files that are not pictures', async () => {
    const cast = await world()
    const png = Buffer.from(await (await picture()).arrayBuffer())
    const huge = Buffer.from(png)
    huge.writeUInt32BE(100_000, 16)
    huge.writeUInt32BE(100_000, 20)
    const hostile: [string, BodyInit][] = [
      ['nothing', new Uint8Array()],
      ['half a picture', png.subarray(0, png.length / 2)],
      ['a head without a body', png.subarray(0, 33)],
      ['more pixels than there is memory', huge],
      ['a drawing that runs', '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'],
      ['a page', '<!doctype html><script>alert(1)</script>'],
      ['a bitmap', bitmap(10, 10, () => [0, 0, 0]) as Uint8Array<ArrayBuffer>],
      ['noise', crypto.getRandomValues(new Uint8Array(5000))],
    ]
    for (const [what, body] of hostile) {
      const response = await put(cast, cast.ada, body)
      expect([what, response.status]).toEqual([what, 422])
      await problem(response, 'invalid_input')
    }
    for (const type of ['image/svg+xml', 'text/html', 'application/json', 'image/bmp'])
      await problem(await put(cast, cast.ada, png, type), 'unsupported_media_type')
    const { limits } = cast.server.parley.files
    const before = limits.maxFileBytes
    limits.maxFileBytes = png.length - 1
    try {
      await problem(await put(cast, cast.ada, png), 'payload_too_large')
    } finally {
      limits.maxFileBytes = before
    }
    expect(await objectsOf(cast)).toEqual([])
    expect((await avatarOf(cast.ada)).xs).toEndWith('.svg')
    expect(await cast.events()).toEqual([])
  })

  test('a picture with embedded HTML is re-encoded', async () => {
    const cast = await world()
    const both = Buffer.concat([
      Buffer.from(await (await picture()).arrayBuffer()),
      Buffer.from('<script>alert(1)</script>'),
    ])
    expect((await put(cast, cast.ada, both)).status).toBe(204)
    const kept = Buffer.from(await (await fetch((await avatarOf(cast.ada)).xxl)).arrayBuffer())
    expect(kept.includes('script')).toBe(false)
  })

  test('every member is allowed, but no app and no read-only token', async () => {
    const { vic, gus, bot, ada, tokenFor } = await world()
    const file = await picture()
    for (const who of [vic, gus]) await who.me.setAvatar({ file })
    await expect(bot.me.setAvatar({ file })).rejects.toMatchObject({ code: 'forbidden' })
    const reader = await tokenFor(ada.id, ['read'])
    await expect(reader.me.setAvatar({ file })).rejects.toMatchObject({ code: 'insufficient_scope' })
    await expect(reader.me.deleteAvatar()).rejects.toMatchObject({ code: 'insufficient_scope' })
  })
})

describe('the bytes of pictures', () => {
  test('are stored once in a workspace, and erased with their last use', async () => {
    const cast = await world()
    const { ada, bob, root, server } = cast
    const file = await picture()
    const erase = () => server.fileErasing()!.runRound()
    for (const who of [ada, bob]) await who.me.setAvatar({ file })
    await root.workspace.setIcon({ file })
    const [object, ...others] = await objectsOf(cast)
    expect(others).toEqual([])
    await bob.me.setAvatar({ file })
    await ada.me.deleteAvatar()
    await erase()
    expect(await objectsOf(cast)).toEqual([object!])

    await bob.me.setAvatar({ file: await picture('png', [60, 80], () => [20, 20, 220]) })
    await root.workspace.deleteIcon()
    await erase()
    const [second, ...more] = await objectsOf(cast)
    expect([second === object, more]).toEqual([false, []])
    expect(await colourOf((await avatarOf(bob)).xl)).toBe('blue')
    expect((await root.files.limits()).used_bytes).toBe(0)
    expect(await server.parley.engine.read(runChecks)).toEqual([])
  })

  test('a photo of many pixels is scaled down in another process', async () => {
    const { ada } = await world()
    const photo = await new Bun.Image(await (await picture()).bytes()).resize(2_600, 1_600).jpeg().bytes()
    await ada.me.setAvatar({ file: new Blob([photo as Uint8Array<ArrayBuffer>], { type: 'image/jpeg' }) })
    expect(await colourOf((await avatarOf(ada)).xxl)).toBe('red')
  })

  test('that an older version kept in the database are shown until they are replaced', async () => {
    const cast = await world()
    const { ada, server } = cast
    await ada.me.setAvatar({ file: await picture() })
    const { xxl } = await avatarOf(ada)
    const image = await (await picture('webp', [512, 512], () => [20, 200, 20])).bytes()
    const name = xxl.match(/pic_\w+/)![0]
    await server.parley.engine.write(async (db) => {
      const { blob_key } = await db
        .selectFrom('pictures')
        .where('name', '=', name)
        .selectAll()
        .executeTakeFirstOrThrow()
      await db.updateTable('pictures').where('name', '=', name).set({ image, blob_key: null }).execute()
      await deleteUnusedBlobs(db, [blob_key], 0)
    })
    expect(await colourOf(xxl)).toBe('green')
    await ada.me.setAvatar({ file: await picture() })
    expect((await fetch(xxl)).status).toBe(404)
    expect(await server.parley.engine.read(runChecks)).toEqual([])
  })
})

describe('me.deleteAvatar', () => {
  test('shows the initials again, and deletes the picture; so does replacing it', async () => {
    const { ada, root, bot, events } = await world()
    const initials = await avatarOf(ada)
    await ada.me.setAvatar({ file: await picture() })
    const first = await avatarOf(ada)
    expect((await fetch(first.xl)).status).toBe(200)
    await ada.me.setAvatar({ file: await picture('webp') })
    const second = await avatarOf(ada)
    expect(second.xl).not.toBe(first.xl)
    expect((await fetch(first.xl)).status).toBe(404)
    await root.members.update({ id: ada.id, display_name: 'Countess' })
    expect(await avatarOf(ada)).toEqual(second)

    await ada.me.update({ display_name: 'Ada Lovelace' })
    await ada.me.deleteAvatar()
    expect(await avatarOf(ada)).toEqual(initials)
    expect((await fetch(second.xl)).status).toBe(404)
    await ada.me.deleteAvatar()
    await expect(bot.me.deleteAvatar()).rejects.toMatchObject({ code: 'forbidden' })
    expect(await events()).toEqual(Array(5).fill('member.updated'))
  })
})

test.each([
  '/avatars/33/pic_00000000000000000000000000000000.webp',
  '/avatars/32/pic_00000000000000000000000000000000.webp',
  '/avatars/32/pic_00000000000000000000000000000000.svg',
  '/avatars/32/1-A.webp',
  '/avatars/32/pic_%00.webp',
])('%s is not found', async (path) => {
  const { raw } = await world()
  expect((await raw(undefined, path)).status).toBe(404)
})

/** The smallest possible GIF. */
const DOT = 'R0lGODlhAQABAIABAP8AAAAAACH5BAEAAAEALAAAAAABAAEAAAICRAEAOw=='

/** A photo with EXIF metadata: an orientation and a text. */
function withExif(jpeg: Uint8Array, orientation: number, words: string): Uint8Array<ArrayBuffer> {
  const text = Buffer.from(`${words}\0`)
  const exif = Buffer.concat([Buffer.from('Exif\0\0II*\0\x08\0\0\0\x02\0', 'latin1'), Buffer.alloc(28), text])
  exif.writeUInt16LE(0x0112, 16)
  exif.writeUInt16LE(3, 18)
  exif.writeUInt32LE(1, 20)
  exif.writeUInt16LE(orientation, 24)
  exif.writeUInt16LE(0x010e, 28)
  exif.writeUInt16LE(2, 30)
  exif.writeUInt32LE(text.length, 32)
  exif.writeUInt32LE(38, 36)
  const head = Buffer.alloc(4)
  head.writeUInt16BE(0xffe1)
  head.writeUInt16BE(exif.length + 2, 2)
  return new Uint8Array(Buffer.concat([jpeg.subarray(0, 2), head, exif, jpeg.subarray(2)]))
}
