import { describe, expect } from 'bun:test'
import { startTestServer } from '../server'
import { world } from '../world'
import { openPage, test } from './browser'

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

describe('images of other servers', () => {
  test('are loaded through this server, if it has an image proxy', async () => {
    const other = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response(PNG) })
    const cast = await world(await startTestServer({ IMAGE_PROXY: 'on' }))
    const { ada, general } = cast
    const { id } = await ada.posts.create({
      channel_id: general.id,
      content_markdown: `![A chart](http://127.0.0.1:${other.port}/a.png?x=1&y=2)`,
    })
    const page = await openPage(cast, ada, '/')
    const hosts = new Set<string>()
    page.on('request', (request) => void hosts.add(new URL(request.url()).host))
    await page.goto(`${cast.baseUrl}/posts/${id}`)
    const image = page.getByRole('img', { name: 'A chart' })
    await image.waitFor()
    await page.waitForFunction(() => document.querySelector<HTMLImageElement>('img[alt="A chart"]')!.naturalWidth === 1)
    expect(await image.getAttribute('src')).toBe(
      `/images?url=${encodeURIComponent(`http://127.0.0.1:${other.port}/a.png?x=1&y=2`)}`,
    )
    expect([...hosts]).toEqual([new URL(cast.baseUrl).host])
    await page.context().close()
    await other.stop(true)
  })
})
