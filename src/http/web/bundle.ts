import { join } from 'node:path'
import { prebuilt } from './prebuilt'
import type { WebFile } from './web-file'

const PAGE = 'index.html'
const types: Record<string, string> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
}

/** Bundles the web app from its page. Every file but the page has the hash of its content in its name. */
export async function bundleWebApp(): Promise<WebFile[]> {
  const { outputs } = await Bun.build({
    entrypoints: [join(import.meta.dir, '../../web', PAGE)],
    target: 'browser',
    minify: true,
    splitting: true,
    publicPath: '/assets/',
    naming: { entry: '[name]-[hash].[ext]', chunk: '[name]-[hash].[ext]', asset: '[name]-[hash].[ext]' },
    define: { 'process.env.NODE_ENV': '"production"' },
  })
  return Promise.all(
    outputs.map(async (output) => {
      const name = output.path.replace(/^.*\//, '')
      return {
        name: name.endsWith('.html') ? PAGE : name,
        type: types[name.split('.').at(-1)!]!,
        text: await output.text(),
      }
    }),
  )
}

/** A file, plain and compressed. */
export interface ServedFile {
  type: string
  plain: Uint8Array<ArrayBuffer>
  gzip: Uint8Array<ArrayBuffer>
}

export interface WebApp {
  page: ServedFile
  assets: Map<string, ServedFile>
}

function serve(files: WebFile[]): WebApp {
  const assets = new Map(files.map(({ name, type, text }) => [name, toServedFile(type, text)]))
  const page = assets.get(PAGE)!
  assets.delete(PAGE)
  return { page, assets }
}

function toServedFile(type: string, text: string): ServedFile {
  const plain = new TextEncoder().encode(text)
  return { type, plain, gzip: Bun.gzipSync(plain, { level: 9 }) }
}

let bundled: Promise<WebApp> | undefined

/** In development, each visit bundles anew: `bun --watch` does not watch files that only browsers run. */
const isDevelopment = process.execArgv.includes('--watch')

/** The web app, bundled once except in development. */
export function webApp(isNewVisit = false): Promise<WebApp> {
  if (isDevelopment && isNewVisit) bundled = undefined
  bundled ??= (prebuilt ? Promise.resolve(prebuilt) : bundleWebApp()).then(serve)
  return bundled
}
