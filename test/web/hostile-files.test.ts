import { describe, expect, onTestFinished } from 'bun:test'
import { picture } from '../me/pictures'
import { type World, world } from '../world'
import { openPage, test } from './browser'

const ATTACK = "try { top.hasRun = true } catch {} ; localStorage.setItem('hasRun', '1')"
const PAGE = `<!doctype html><script>${ATTACK}</script>`
const box = (type: string, content: string) => {
  const head = Buffer.alloc(4)
  head.writeUInt32BE(content.length + 8)
  return Buffer.concat([head, Buffer.from(type + content, 'latin1')])
}

/** Files that are something else, or more than one thing. */
async function uploadAll({ ada }: World): Promise<string[]> {
  const gif = Buffer.from('4749463839610100010080000000000000ffffff2c00000000010001000002024401003b', 'hex')
  const jpeg = Buffer.from(await (await picture('jpeg')).arrayBuffer())
  const comment = Buffer.concat([Buffer.from([0xff, 0xfe, 0, PAGE.length + 2]), Buffer.from(PAGE)])
  const files: [string, Uint8Array | string, string][] = [
    ['page.html', PAGE, 'text/html'],
    ['page.png', PAGE, 'image/png'],
    ['page.svg', `<svg xmlns="http://www.w3.org/2000/svg"><script>${ATTACK}</script></svg>`, 'image/svg+xml'],
    ['script.js', ATTACK, 'text/javascript'],
    ['script.json', `{"a": 1}`, 'application/javascript'],
    ['style.css', 'html { --has-run: 1 }', 'text/css'],
    ['polyglot.gif', Buffer.concat([gif, Buffer.from(`=1;${ATTACK}`)]), 'image/gif'],
    ['script.gif', `GIF89a=1;${ATTACK}`, 'text/javascript'],
    ['page.pdf', `%PDF-1.7\n${PAGE}`, 'text/html'],
    ['photo.jpg', Buffer.concat([jpeg.subarray(0, 2), comment, jpeg.subarray(2), Buffer.from(PAGE)]), 'text/html'],
    ['movie.mp4', Buffer.concat([box('ftyp', 'mp42\0\0\0\0mp42'), box('free', PAGE)]), 'text/html'],
    ['utf7.txt', `+ADw-script+AD4-${ATTACK}+ADw-/script+AD4-`, 'text/html; charset=utf-7'],
  ]
  const ids = []
  for (const [name, content, type] of files) {
    const file = new Blob([content as Uint8Array<ArrayBuffer>], { type })
    ids.push((await ada.files.upload({ file, name })).id)
  }
  return ids
}

/** Runs in the page. Tries to run each address in every way there is, and returns what succeeded. */
async function runAll(paths: string[]): Promise<string[]> {
  const succeeded: string[] = []
  const load = (tag: string, attributes: Record<string, string>) =>
    new Promise<boolean>((resolve) => {
      const element = document.createElement(tag)
      element.onload = () => resolve(true)
      element.onerror = () => resolve(false)
      // Frames whose content is a download tell nobody. Scripts and styles always do, however busy the machine is.
      if (!['script', 'link'].includes(tag)) setTimeout(() => resolve(false), 300)
      for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value)
      document.body.append(element)
    })
  const runOne = async (path: string) => {
    const attempts: Record<string, () => Promise<unknown>> = {
      script: () => load('script', { src: path }),
      module: () => load('script', { src: path, type: 'module' }),
      style: () => load('link', { rel: 'stylesheet', href: path }),
      import: () => import(path).then(() => true),
      json: () => import(path, { with: { type: 'json' } }).then(() => false),
      worker: () =>
        new Promise((resolve) => {
          const worker = new Worker(path)
          worker.onmessage = () => resolve(true)
          worker.onerror = () => resolve(false)
          setTimeout(() => resolve(false), 300)
        }),
      serviceWorker: () => navigator.serviceWorker.register(path, { scope: '/files/' }).then(() => true),
      frames: async () => {
        await Promise.all([load('iframe', { src: path }), load('object', { data: path }), load('embed', { src: path })])
        return false
      },
    }
    const results = Object.entries(attempts).map(async ([kind, attempt]) => {
      if (await attempt().catch(() => false)) succeeded.push(kind)
    })
    await Promise.all(results)
  }
  await Promise.all(paths.map(runOne))
  if ('hasRun' in window || localStorage.getItem('hasRun')) succeeded.push('a script')
  if (getComputedStyle(document.documentElement).getPropertyValue('--has-run')) succeeded.push('a style')
  return succeeded.sort()
}

describe('hostile files', () => {
  test('run nowhere, even in a page without any protection of its own', async () => {
    const cast = await world()
    const ids = await uploadAll(cast)
    const page = await openPage(cast, cast.ada, '/', { bypassCSP: true, expectedErrors: /./, serviceWorkers: 'allow' })
    expect(
      await page.evaluate(
        runAll,
        ids.map((id) => `/files/${id}`),
      ),
    ).toEqual([])
    // A download ends the navigation.
    for (const id of ids) await page.goto(`${cast.baseUrl}/files/${id}`).catch(() => undefined)
    await page.goto(`${cast.baseUrl}/`)
    expect(await page.evaluate(() => localStorage.getItem('hasRun'))).toBeNull()

    // That the attempts succeed with what may run.
    const script = { contentType: 'text/javascript', body: ATTACK }
    await page.route('**/control.js', (route) => route.fulfill(script))
    expect(await page.evaluate(runAll, ['/control.js'])).toEqual(
      expect.arrayContaining(['a script', 'import', 'script']),
    )
  })

  test('and others cannot be read or shown by a page of another origin, though the browser sends the session', async () => {
    const cast = await world()
    const { id } = await cast.ada.files.upload({ file: await picture('png', [80, 60]), name: 'a.png' })
    const { hostname } = new URL(cast.baseUrl)
    const other = Bun.serve({
      port: 0,
      hostname,
      fetch: () => new Response('<title>Other</title><body>', { headers: { 'Content-Type': 'text/html' } }),
    })
    onTestFinished(() => other.stop(true))
    const page = await openPage(cast, cast.ada, '/', { expectedErrors: /./ })
    await page.goto(`http://${hostname}:${other.port}/`)
    const read = await page.evaluate(async (url) => {
      const tryFetch = (mode: RequestMode) =>
        fetch(url, { mode, credentials: 'include' }).then(
          () => `${mode} was answered`,
          () => 'refused',
        )
      const image = new Promise<string>((resolve) => {
        const element = document.createElement('img')
        element.onload = () => resolve('shown')
        element.onerror = () => resolve('refused')
        element.src = url
      })
      return [await tryFetch('cors'), await tryFetch('no-cors'), await image]
    }, `${cast.baseUrl}/files/${id}`)
    expect(read).toEqual(['refused', 'refused', 'refused'])
  })
})
