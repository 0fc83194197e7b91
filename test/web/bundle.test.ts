import { describe, expect, test } from 'bun:test'
import { world } from '../world'

describe('assets', () => {
  test('the first page loads at most 130 KB of compressed scripts', async () => {
    const { baseUrl } = await world()
    const read = async (path: string) =>
      (await fetch(baseUrl + path, { headers: { Cookie: 'parley_session=x' } })).text()
    const scripts = new Set([...(await read('/posts')).matchAll(/src="([^"]+\.js)"/g)].map((match) => match[1]!))
    expect(scripts.size).toBe(1)
    // With all that they import at once; what is loaded later is imported by a call.
    for (const script of scripts)
      for (const [, path] of (await read(script)).matchAll(/(?:from|import)\s*"(\/assets\/[^"]+)"/g)) scripts.add(path!)
    const sizes = await Promise.all(
      [...scripts].map(async (path) => Bun.gzipSync(await read(path), { level: 9 }).length),
    )
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(130_000)
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
