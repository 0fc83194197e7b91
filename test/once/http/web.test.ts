import { describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { WEB_PATHS } from '../../../src/http/web/routes'
import { routes } from '../../../src/web/paths'
import { startTestServer } from '../../server'
import { world } from '../../world'

const asPerson = { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

describe('the web app', () => {
  test('has the same page for all its paths, with a strict CSP', async () => {
    const { baseUrl } = await world()
    const pages = await Promise.all(WEB_PATHS.map((path) => fetch(baseUrl + path.replace(/:\w+/g, 'x'))))
    expect(pages.map(({ status }) => status)).toEqual(WEB_PATHS.map(() => 200))
    const texts = new Set(await Promise.all(pages.map((page) => page.text())))
    expect(texts.size).toBe(1)
    expect([...texts][0]).not.toMatch(/\s(?:on\w+|style)=/)
    for (const { headers } of pages) {
      expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
      expect(headers.get('cache-control')).toBe('no-cache')
      const policy = headers.get('content-security-policy')!
      expect(policy).toContain("default-src 'none'")
      expect(policy).toContain("require-trusted-types-for 'script'")
      expect(policy).not.toContain('unsafe')
    }
  })

  test('allows what is written into the page by its hash, and nothing else', async () => {
    const { baseUrl } = await world()
    for (const Cookie of ['', 'parley_session=x']) {
      const page = await fetch(`${baseUrl}/posts`, { headers: { Cookie } })
      const inline = [...(await page.text()).matchAll(/<(?:script|style)>([^<]*)</g)].map((match) => match[1]!)
      expect(inline.length).toBe(2)
      const hashes = inline.map((text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`)
      const [, script, style] = page.headers.get('content-security-policy')!.split('; ')
      expect([script, style]).toEqual([`script-src 'self' ${hashes[0]}`, `style-src 'self' ${hashes[1]}`])
      expect(page.headers.get('vary')).toBe('Cookie, Accept-Encoding')
    }
  })

  test('names the workspace before signing in if it is the only one, as text', async () => {
    const server = await startTestServer({ WORKSPACE_NAME: 'A "<b>&' })
    await server.ready
    const read = async () => (await fetch(`${server.url}/sign-in`)).text()
    expect(await read()).toContain('Sign in to <span data-workspace-name>A "&lt;b&gt;&amp;</span>')
    expect(await read()).toMatch(/<html [^>]*data-workspace="A &quot;<?(&lt;)?b>?(&gt;)?&(amp;)?"/)
    await world(server)
    expect(await read()).toContain('Sign in to <span data-workspace-name>Parley</span>')
    await server.stop()
  })

  test('is served at every route that it knows', async () => {
    const { baseUrl } = await world()
    for (const route of Object.values(routes)) {
      const longest = route.replace(/:\w+\??/g, 'x')
      const shortest = route.replace(/\/:\w+\?/g, '').replace(/:\w+/g, 'x')
      for (const path of [longest, shortest]) expect([path, (await fetch(baseUrl + path)).status]).toEqual([path, 200])
    }
  })

  test('has immutable assets, compressed if accepted', async () => {
    const { baseUrl } = await world()
    const page = await (await fetch(`${baseUrl}/posts`)).text()
    const files = [...page.matchAll(/(?:(?:src|href)="|url\()(\/assets\/[^")]+)/g)].map((match) => match[1]!)
    expect(files.length).toBeGreaterThanOrEqual(8)
    for (const file of files) {
      expect(file).toMatch(/^\/assets\/[\w-]+-\w{8}\.(js|css|svg|woff2)$/)
      const plain = await fetch(baseUrl + file, { headers: { 'Accept-Encoding': 'identity' } })
      const squeezed = await fetch(baseUrl + file, { headers: { 'Accept-Encoding': 'gzip, br' } })
      expect([plain.status, plain.headers.get('content-encoding')]).toEqual([200, null])
      expect(plain.headers.get('cache-control')).toContain('immutable')
      expect(squeezed.headers.get('vary')).toBe('Accept-Encoding')
      if (!file.endsWith('.woff2')) expect(squeezed.headers.get('content-encoding')).toMatch(/^(gzip|br)$/)
      expect(await squeezed.bytes()).toEqual(await plain.bytes())
    }
  })

  test('answers unknown paths with a page for people and a problem for programs', async () => {
    const { baseUrl } = await world()
    const lost = await fetch(`${baseUrl}/no/such/page`, { headers: asPerson })
    expect([lost.status, lost.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8'])
    for (const path of ['/no/such/page', '/assets/none-00000000.js', '/assets/..%2f..%2fpackage.json']) {
      const answer = await fetch(baseUrl + path)
      expect([answer.status, answer.headers.get('content-type')]).toEqual([404, 'application/problem+json'])
    }
    const api = await fetch(`${baseUrl}/v2/nothing`, { headers: asPerson })
    expect([api.status, api.headers.get('content-type')]).toEqual([404, 'application/problem+json'])
    expect((await fetch(`${baseUrl}/posts`, { method: 'POST' })).status).toBe(405)
  })
})
