import { describe, expect, test } from 'bun:test'
import { world } from '../../world'

describe('a response over 2 KB', () => {
  const ask = (cast: Awaited<ReturnType<typeof world>>, path: string, encoding?: string, etag?: string) =>
    fetch(`${cast.baseUrl}${path}`, {
      decompress: false,
      headers: {
        Authorization: `Bearer ${cast.ada.token}`,
        'Accept-Encoding': encoding ?? '',
        ...(etag && { 'If-None-Match': etag }),
      },
    } as RequestInit)

  const withLongPost = async () => {
    const cast = await world()
    const { id } = await cast.ada.posts.create({
      channel_id: cast.general.id,
      content_markdown: 'The same words, and “others”. '.repeat(200),
    })
    return { cast, path: `/v2/posts/${id}` }
  }

  test('is compressed the way the client prefers', async () => {
    const { cast, path } = await withLongPost()
    const plain = await (await ask(cast, path)).text()
    const cases = [
      ['gzip, deflate, br, zstd', 'zstd'],
      ['gzip', 'gzip'],
      ['gzip;q=1.0, zstd;q=0.5', 'gzip'],
      ['zstd;q=0, gzip', 'gzip'],
      ['*', 'zstd'],
    ] as const
    for (const [accepted, coding] of cases) {
      const response = await ask(cast, path, accepted)
      expect([accepted, response.headers.get('content-encoding')]).toEqual([accepted, coding])
      expect(response.headers.get('vary')).toContain('Accept-Encoding')
      const bytes = new Uint8Array(await response.arrayBuffer())
      expect(bytes.length).toBeLessThan(plain.length / 4)
      const decoded = coding === 'zstd' ? Bun.zstdDecompressSync(bytes) : Bun.gunzipSync(bytes)
      expect(Buffer.from(decoded).toString()).toBe(plain)
    }
  })

  test('is sent as it is where the client accepts nothing else', async () => {
    const { cast, path } = await withLongPost()
    for (const accepted of ['', 'identity', 'br', 'zstd;q=0', '*;q=0', ';;,=q']) {
      const response = await ask(cast, path, accepted)
      expect([accepted, response.headers.get('content-encoding')]).toEqual([accepted, null])
      expect(await response.json()).toMatchObject({ channel: { id: cast.general.id } })
    }
  })

  test('has an ETag of its own, and each of them still saves the body', async () => {
    const { cast, path } = await withLongPost()
    const etags = new Map<string, string>()
    for (const accepted of ['', 'gzip', 'zstd', 'zstd'])
      etags.set(accepted, (await ask(cast, path, accepted)).headers.get('etag')!)
    expect(new Set(etags.values()).size).toBe(3)
    for (const [accepted, etag] of etags) {
      const again = await ask(cast, path, accepted, etag)
      expect([again.status, again.headers.get('etag'), await again.text()]).toEqual([304, etag, ''])
    }
    await cast.ada.comments.create({ post_id: path.split('/').at(-1)!, content_markdown: 'Changed' })
    for (const [accepted, etag] of etags) expect((await ask(cast, path, accepted, etag)).status).toBe(200)
  })

  test('a shorter one is sent as it is', async () => {
    const cast = await world()
    const response = await ask(cast, '/v2/me', 'gzip, zstd')
    expect([response.status, response.headers.get('content-encoding')]).toEqual([200, null])
  })
})
