import { describe, expect, test } from 'bun:test'
import { picture } from '../me/pictures'
import { signedIn } from '../session/browser'
import { type Person, type World, world } from '../world'

type Sent = Record<string, string>

/** Reads addresses as a browser with this cookie does. */
const withCookie =
  ({ baseUrl }: World, cookie: string) =>
  (path: string, headers: Sent = {}, method = 'GET') =>
    fetch(baseUrl + path, { method, headers: { ...headers, ...(cookie && { Cookie: cookie }) } })

const openBrowser = async (cast: World, who: Person) => withCookie(cast, (await signedIn(cast, who)).cookie)

/** A picture in a private channel of root, ada and bob. */
async function sharePicture() {
  const cast = await world()
  const { root, ada, bob } = cast
  const channel = await root.channels.create({ name: 'plans', private: true })
  for (const { id } of [ada, bob]) await root.channels.addMember({ channel_id: channel.id, member_id: id })
  const image = await picture('png', [1000, 500])
  const { id } = await ada.files.upload({ file: image, name: 'Plan B.png' })
  await ada.posts.create({ channel_id: channel.id, file_ids: [id] })
  return { cast, channel, id, image }
}

describe('the pages of files', () => {
  test('give a member who is signed in the file, its previews, and a download', async () => {
    const { cast, id, image } = await sharePicture()
    const read = await openBrowser(cast, cast.bob)
    const whole = await read(`/files/${id}`)
    expect([whole.status, whole.headers.get('content-type')]).toEqual([200, 'image/png'])
    expect(whole.headers.get('content-length')).toBe(String(image.size))
    expect(whole.headers.get('content-disposition')).toBe('inline; filename="Plan B.png"')
    expect(whole.headers.get('access-control-allow-origin')).toBeNull()
    expect(whole.headers.get('content-security-policy')).toBe("sandbox; default-src 'none'")
    expect(whole.headers.get('cache-control')).toBe('private, no-cache')
    expect(Buffer.from(await whole.arrayBuffer()).equals(Buffer.from(await image.arrayBuffer()))).toBe(true)

    for (const [size, width] of [['small', 360] as const, ['medium', 800] as const, ['large', 1000] as const]) {
      const preview = await read(`/files/${id}/${size}`)
      expect([preview.status, preview.headers.get('content-type')]).toEqual([200, 'image/webp'])
      expect((await new Bun.Image(await preview.bytes()).metadata()).width).toBe(width)
    }
    const download = await read(`/files/${id}/download`)
    expect(download.headers.get('content-disposition')).toStartWith('attachment')
    await download.bytes()
    expect((await read(`/files/${id}/huge`)).status).toBe(404)
    expect((await read('/files/file_x')).status).toBe(404)
    const head = await read(`/files/${id}`, {}, 'HEAD')
    expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([200, String(image.size), ''])
    const part = await read(`/files/${id}`, { Range: 'bytes=1-3' })
    expect([part.status, await part.text()]).toEqual([206, 'PNG'])
  })

  test('refuse everyone else, even with a matching ETag', async () => {
    const { cast, channel, id } = await sharePicture()
    const { root, ada, bob, vic } = cast
    const paths = ['', '/small', '/medium', '/large', '/download'].map((form) => `/files/${id}${form}`)
    const bobReads = await openBrowser(cast, bob)
    const etags = new Map<string, string>()
    for (const path of paths) {
      const response = await bobReads(path)
      await response.bytes()
      etags.set(path, response.headers.get('etag')!)
      expect((await bobReads(path, { 'If-None-Match': etags.get(path)! })).status).toBe(304)
    }
    const expectStatus = async (read: typeof bobReads, status: number) => {
      for (const path of paths)
        for (const headers of [{}, { Range: 'bytes=0-1' }, { 'If-None-Match': etags.get(path)! }] as Sent[])
          for (const method of ['GET', 'HEAD'])
            expect([path, method, (await read(path, headers, method)).status]).toEqual([path, method, status])
    }
    await expectStatus(withCookie(cast, ''), 401)
    await expectStatus(withCookie(cast, (await signedIn(cast, bob)).cookie.replace(/=.*/, '=x')), 401)
    await expectStatus(await openBrowser(cast, vic), 404)
    const elsewhere = await world()
    await expectStatus(await openBrowser(elsewhere, elsewhere.root), 404)

    await root.channels.removeMember({ channel_id: channel.id, member_id: bob.id })
    await expectStatus(bobReads, 404)
    const adaReads = await openBrowser(cast, ada)
    expect((await adaReads(paths[0]!, {}, 'HEAD')).status).toBe(200)
    await root.members.update({ id: ada.id, is_deactivated: true })
    await expectStatus(adaReads, 401)
  })

  test('refuse a session that has ended, and other methods', async () => {
    const { cast, id } = await sharePicture()
    const { cookie, ask } = await signedIn(cast, cast.bob)
    const read = (method = 'HEAD') => withCookie(cast, cookie)(`/files/${id}`, {}, method)
    expect((await read()).status).toBe(200)
    expect((await read('POST')).status).toBe(405)
    expect((await ask('DELETE', '/session')).ok).toBe(true)
    expect((await read()).status).toBe(401)
  })
})
