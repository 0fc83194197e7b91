import { describe, expect } from 'bun:test'
import { world } from '../world'
import { openPage, test, waitForVisible } from './browser'

describe('assets', () => {
  test('the first page loads at most 130 KB of compressed scripts', async () => {
    const cast = await world()
    const page = await openPage(cast, cast.ada, '/posts')
    await waitForVisible(page.getByText('No posts yet'))
    const loaded = await page.evaluate(() =>
      (performance.getEntriesByType('resource') as PerformanceResourceTiming[])
        .filter(({ name }) => name.endsWith('.js'))
        .map(({ name, encodedBodySize, decodedBodySize }) => ({ name, encodedBodySize, decodedBodySize })),
    )
    expect(loaded.length).toBeGreaterThan(0)
    for (const { encodedBodySize, decodedBodySize } of loaded) expect(encodedBodySize).toBeLessThan(decodedBodySize)
    expect(loaded.reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)).toBeLessThanOrEqual(130_000)
  })

  test('assets are immutable; the page is revalidated and has a strict Content-Security-Policy', async () => {
    const { baseUrl } = await world()
    const page = await fetch(`${baseUrl}/posts`)
    expect(page.headers.get('cache-control')).toBe('no-cache')
    const policy = page.headers.get('content-security-policy')!
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("require-trusted-types-for 'script'")
    expect(policy).not.toContain('unsafe')
    const assets = [...(await page.text()).matchAll(/"(\/assets\/[^"]+)"/g)].map(([, path]) => path!)
    expect(assets.length).toBeGreaterThanOrEqual(3)
    for (const path of assets) {
      const { status, headers } = await fetch(baseUrl + path)
      expect([path, status, headers.get('cache-control')]).toEqual([path, 200, 'public, max-age=31536000, immutable'])
    }
    expect((await fetch(`${baseUrl}/assets/none.js`)).status).toBe(404)
  })
})
