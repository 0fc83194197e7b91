import { dirname, join } from 'node:path'
import type { BunPlugin } from 'bun'
import { toPages, type WebPages } from './page'
import { prebuilt, type WebFile } from './prebuilt'
import { type ServedFile, toServedFile } from './served-file'

const PAGE = 'index.html'
/** Written into the page itself, so that it can be painted before anything else has arrived. */
const INLINE_STYLES = 'first-paint.css'
const INLINE_SCRIPT = 'first-paint.js'

/** Loaded on the sign-in page before the script of the app asks for it. */
const SIGN_IN_SCRIPT = /^sign-in-\w+\.js$/

const types: Record<string, string> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
}

const source = (path: string) => join(import.meta.dir, '../../web', path)

const options = {
  target: 'browser',
  minify: true,
  publicPath: '/assets/',
  define: { 'process.env.NODE_ENV': '"production"' },
} as const
const HASHED = '[name]-[hash].[ext]'

/**
 * What is loaded later comes in a few files rather than in one for each `import()`: a request costs a browser more than
 * ten kilobytes of code that it does not run. The first pattern that matches the path of a module names its file.
 */
const groups: [file: string, modules: RegExp][] = [
  // Large, and needed only by texts that name a language, and by who types the name of an emoji.
  ['highlight', /highlight-code/],
  ['emoji', /emoji-(list|picker)/],
  // Needed by who writes, and as large as the first page.
  ['editor', /web\/editor\//],
  ['sign-in', /pages\/sign-in\//],
  // Needed right after what is shown first: for what happens, and to show what was kept.
  ['live', /data\/(cache\/(events|kept)|draft-sync|sessions)|shell\/(connection-bar|drop-zone)/],
  ['settings', /pages\/(settings|members|channels|files)\//],
  ['pages', /./],
]
/** What the Markdown parser of the editor imports for options that are off: 10 KB that nobody would run. */
const UNUSED = /^(?:linkify-it|mdurl|punycode\.js)$/
const UNUSED_CODE = 'export class LinkifyIt {}; export default {}'
const DYNAMIC_IMPORT = /(?<!typeof )\bimport\(\s*'(\.[^']+)'\s*\)/g

/** Makes every `import()` of a module one of the file that its group is in. */
async function groupLaterCode(): Promise<BunPlugin> {
  const sources = new Map<string, string>()
  const members = new Map(groups.map(([file]) => [file, new Set<string>()]))
  for await (const path of new Bun.Glob('**/*.{ts,tsx}').scan({ cwd: source(''), absolute: true })) {
    const text = await Bun.file(path).text()
    const grouped = text.replace(DYNAMIC_IMPORT, (_, specifier: string) => {
      const module = Bun.resolveSync(specifier, dirname(path))
      const [file] = groups.find(([, modules]) => modules.test(module))!
      const all = members.get(file)!.add(module)
      return `import('later:${file}').then((all) => all.module${[...all].indexOf(module)})`
    })
    if (grouped !== text) sources.set(path, grouped)
  }
  return {
    name: 'group later code',
    // Bun would wait for an asynchronous setup in a loop of its own, and requests would lose their headers meanwhile.
    setup(build) {
      build.onLoad({ filter: /src\/web\/.*\.tsx?$/ }, ({ path, loader }) => {
        const contents = sources.get(path)
        return contents === undefined ? undefined : { contents, loader }
      })
      build.onResolve({ filter: /^later:/ }, ({ path }) => ({ path: path.replace('later:', ''), namespace: 'later' }))
      build.onResolve({ filter: UNUSED }, ({ path }) => ({ path, namespace: 'unused' }))
      build.onLoad({ filter: /./, namespace: 'unused' }, () => ({ contents: UNUSED_CODE, loader: 'js' }))
      build.onLoad({ filter: /./, namespace: 'later' }, ({ path: file }) => ({
        contents: [...members.get(file)!]
          .map((module, at) => `export * as module${at} from ${JSON.stringify(module)}`)
          .join('\n'),
        loader: 'js',
      }))
    },
  }
}

/** Bundles the web app from its page. Every file that is requested on its own has the hash of its content in its name. */
export async function bundleWebApp(): Promise<WebFile[]> {
  const [app, firstPaint] = await Promise.all([
    Bun.build({
      ...options,
      entrypoints: [source(PAGE)],
      splitting: true,
      plugins: [await groupLaterCode()],
      naming: { entry: HASHED, chunk: HASHED, asset: HASHED },
    }),
    Bun.build({
      ...options,
      entrypoints: [source('first-paint/first-paint.ts'), source('first-paint/first-paint.css')],
      format: 'iife',
      external: [FONT_PATTERN],
      naming: { entry: '[name].[ext]', asset: HASHED },
    }),
  ])
  const files = await Promise.all([...app.outputs, ...firstPaint.outputs].map(toWebFile))
  const inlineStyles = files.find(({ name }) => name === INLINE_STYLES)!
  const { styles, fonts } = await extractFonts(atob(inlineStyles.base64), source(''))
  inlineStyles.base64 = btoa(styles)
  return [...files, ...fonts]
}

async function toWebFile(output: Blob & { path: string }): Promise<WebFile> {
  const name = output.path.replace(/^.*\//, '')
  return {
    name: name.endsWith('.html') ? PAGE : name,
    type: types[name.split('.').at(-1)!]!,
    base64: Buffer.from(await output.arrayBuffer()).toString('base64'),
  }
}

export interface WebApp {
  pages: WebPages
  /** The pages that load images of other servers through this one. */
  proxiedPages: WebPages
  assets: Map<string, ServedFile>
  release: Release
}

/** What the service worker keeps of a build, to open it without a connection. */
interface Release {
  version: string
  /** Its page names this one. */
  script: string
  files: string[]
  /** Kept once they have been needed. */
  laterFiles: string[]
}

function serve(files: WebFile[]): WebApp {
  const contents = new Map(files.map(({ name, base64 }) => [name, Buffer.from(base64, 'base64')]))
  const take = (name: string) => contents.get(name)!.toString().trim()
  const signIn = [...contents.keys()].find((name) => SIGN_IN_SCRIPT.test(name))!
  const inline = { styles: take(INLINE_STYLES), script: take(INLINE_SCRIPT) }
  const scripts = [`/assets/${signIn}`, ...listImports(take(signIn))]
  const pagesFor = (hasImageProxy: boolean) => toPages(take(PAGE), inline, scripts, hasImageProxy)
  const assets = files.filter(({ name }) => ![PAGE, INLINE_STYLES, INLINE_SCRIPT].includes(name))
  return {
    pages: pagesFor(false),
    proxiedPages: pagesFor(true),
    release: toRelease(
      files.map(({ base64 }) => base64),
      take(PAGE),
      assets.map(({ name }) => name),
    ),
    assets: new Map(assets.map(({ name, type }) => [name, toServedFile(type, contents.get(name)!)])),
  }
}

/** Files that are large, or that are not needed by who is signed in; the editor, by who only reads. */
const LATER = /^(editor|highlight|emoji|sign-in)-|woff2$/

function toRelease(contents: string[], page: string, names: string[]): Release {
  const list = (isLater: boolean) =>
    names.filter((name) => LATER.test(name) === isLater).map((name) => `/assets/${name}`)
  return {
    version: Bun.hash(contents.toSorted().join('\n')).toString(36),
    script: page.match(/\/assets\/[\w-]+\.js/)![0],
    files: list(false),
    laterFiles: list(true),
  }
}

/** The scripts that a script imports. */
const listImports = (script: string) => [...script.matchAll(/"(\/assets\/[\w-]+\.js)"/g)].map((match) => match[1]!)

let bundled: Promise<WebApp> | undefined

/** In development, each visit bundles anew: `bun --watch` does not watch files that only browsers run. */
const isDevelopment = process.execArgv.includes('--watch')

/** The web app, bundled once except in development. */
export function webApp(isNewVisit = false): Promise<WebApp> {
  if (isDevelopment && isNewVisit) bundled = undefined
  // `npm ci` may have replaced what a server that runs was to read.
  bundled ??= (prebuilt?.().catch(bundleWebApp) ?? bundleWebApp()).then(serve)
  return bundled
}

const FONT_PATTERN = '*.woff2'
const FONT_URL = /url\("?([^")]+\.woff2)"?\)/g

/**
 * Makes files of the fonts that a stylesheet names, as paths within packages. Bun would write them into the stylesheet, and
 * every visitor would load the characters of all scripts before seeing anything.
 */
async function extractFonts(styles: string, folder: string): Promise<{ styles: string; fonts: WebFile[] }> {
  const paths = [...new Set([...styles.matchAll(FONT_URL)].map((match) => match[1]!))]
  const fonts = new Map(await Promise.all(paths.map(async (path) => [path, await readFont(path, folder)] as const)))
  return {
    styles: styles.replace(FONT_URL, (_, path: string) => `url(/assets/${fonts.get(path)!.name})`),
    fonts: [...fonts.values()],
  }
}

async function readFont(path: string, folder: string): Promise<WebFile> {
  const content = await Bun.file(Bun.resolveSync(path, folder)).bytes()
  const name = path.replace(/^.*\/|\.woff2$/g, '')
  const hash = Bun.hash(content).toString(36).padStart(8, '0').slice(0, 8)
  return { name: `${name}-${hash}.woff2`, type: 'font/woff2', base64: Buffer.from(content).toString('base64') }
}
