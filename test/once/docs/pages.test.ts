import { describe, expect, test } from 'bun:test'
import { operations } from '../../../src/contract'
import { errors } from '../../../src/contract/errors'
import { internalDocuments } from '../../../src/site/guide-files'
import { guides, internalSections, splitSections } from '../../../src/site/guides'
import { documents, read } from '../../documents'
import { sharedServer } from '../../server'

const get = async (path: string, headers: Record<string, string> = {}) =>
  fetch((await sharedServer()).url + path, { headers })

/** All pages that can be reached from the first one, by path. */
async function crawl() {
  const pages = new Map<string, string>()
  const waiting = ['/docs']
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (pages.has(path)) continue
    const response = await get(path)
    expect([path, response.status]).toEqual([path, 200])
    pages.set(path, await response.text())
    waiting.push(
      ...linksOf(pages.get(path)!)
        .map((href) => href.split('#')[0]!)
        .filter((link) => /^\/docs(\/|$)/.test(link) && !link.startsWith('/docs/assets/')),
    )
  }
  return pages
}
const linksOf = (html: string) => [...html.matchAll(/<a [^>]*href="([^"]*)"/g)].map((match) => match[1]!)

describe('the documentation', () => {
  test('has no link that leads nowhere, and describes everything there is', async () => {
    const pages = await crawl()
    const ids = new Map(
      [...pages].map(([path, html]) => [path, [...html.matchAll(/ id="([^"]+)"/g)].map((id) => id[1]!)]),
    )
    const broken = [...pages].flatMap(([path, html]) =>
      linksOf(html).filter((href) => {
        const [target, anchor] = href.split('#') as [string, string?]
        const page = ids.get(target === '' ? path : target)
        return page && anchor !== undefined ? !page.includes(anchor) : false
      }),
    )
    expect(broken).toEqual([])
    for (const [path, found] of ids) expect([path, found.length]).toEqual([path, new Set(found).size])
    const all = [...ids.values()].flat()
    expect(Object.keys(operations).filter((name) => !all.includes(name))).toEqual([])
    expect(Object.keys(errors).filter((code) => !ids.get('/docs/errors')!.includes(code))).toEqual([])
    expect(guides.filter(({ slug }) => !pages.has(`/docs/${slug}`))).toEqual([])
  })

  test('has every document of this project, unless it is about the project itself', () => {
    const registered = [...guides.map(({ file }) => file), ...internalDocuments].map((file) => `docs/${file}`)
    expect(documents.filter((path) => /^docs\/[^/]+$/.test(path) && !registered.includes(path))).toEqual([])
    const shown = guides.filter(({ file }) => file === 'api.md').map(({ section }) => section!)
    const sections = [...splitSections(read('docs/api.md')).keys()]
    expect(sections.toSorted()).toEqual([...shown, ...internalSections].toSorted())
  })

  test('loads everything from this server, with no inline script or style', async () => {
    const page = await get('/docs/reference/posts')
    const html = await page.text()
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(page.headers.get('content-security-policy')).not.toMatch(/https?:|\*|unsafe/)
    expect(html).not.toMatch(/<script(?![^>]* src=)|<style| style=| on\w+=/)
    const loaded = [...html.matchAll(/<(?:script|link|img)[^>]* (?:src|href)="([^"]+)"/g)].map(([, path]) => path!)
    expect(loaded.length).toBeGreaterThanOrEqual(5)
    let scriptBytes = 0
    for (const path of loaded) {
      expect(path).toMatch(/^\/(docs|avatars)\//)
      const response = await get(path)
      expect([path, response.status]).toEqual([path, 200])
      const body = await response.text()
      if (path.endsWith('.js')) scriptBytes += body.length
      else if (path.endsWith('.css'))
        expect(body.match(/url\([^)]*\)/g)!.join()).toMatch(/^url\("\/docs\/assets\/geist-\w+\.woff2"\)$/)
      if (path.startsWith('/docs/assets/')) expect(response.headers.get('cache-control')).toContain('immutable')
    }
    expect(scriptBytes).toBeLessThan(15_000)
  })

  test('is compressed, and sent again only if it has changed', async () => {
    const page = await get('/docs', { 'Accept-Encoding': 'gzip' })
    expect(page.headers.get('content-encoding')).toBe('gzip')
    const etag = page.headers.get('etag')!
    const again = await get('/docs', { 'If-None-Match': `"other", ${etag}` })
    expect([again.status, await again.text()]).toEqual([304, ''])
    expect((await get('/docs', { 'If-None-Match': '"other"' })).status).toBe(200)
  })

  test('leads from an address with a slash at its end to the page', async () => {
    for (const path of ['/docs', '/docs/events', '/docs/reference/posts']) {
      const response = await fetch(`${(await sharedServer()).url}${path}/`, { redirect: 'manual' })
      expect([path, response.status, response.headers.get('location')]).toEqual([path, 308, path])
    }
  })

  test('answers 404 for pages that do not exist', async () => {
    for (const path of ['/docs/nothing', '/docs/reference/nothing', '/docs/assets/nothing.css', '/docs/constructor'])
      expect([path, (await get(path)).status]).toEqual([path, 404])
  })
})
