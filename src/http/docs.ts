import type { SiteFile } from '../site'
import { version } from '../version'
import { type HttpContext, pathOf } from './respond'
import { type ServedFile, sendFile, toServedFile } from './web/served-file'

const PAGES = ['/docs', '/docs/:page', '/docs/reference/:noun']
export const DOCS_PATHS = [...PAGES, ...PAGES.map((path) => `${path}/`), '/docs/assets/:file']

/**
 * Sends the pages of the documentation; undefined if there is no such page. The site is loaded when it is first requested:
 * servers start faster without it.
 */
export function openDocs({ parley }: HttpContext) {
  let findFile: ReturnType<typeof openFiles> | undefined
  return async (request: Request): Promise<Response | undefined> => {
    findFile ??= openFiles(parley.links.base)
    const path = pathOf(request.url)
    const address = path.replace(/\/$/, '')
    const file = (await findFile)(address)
    if (file && address !== path) return new Response(null, { status: 308, headers: { Location: address } })
    return file && sendStaticFile(request, file)
  }
}

/** The files of the site by path. Each is built and compressed when it is first requested, and kept. */
async function openFiles(base: string) {
  const [{ openSite }, { openApi }] = await Promise.all([import('../site'), import('./openapi')])
  const findFile = openSite(base, openApi(version))
  const built = new Map<string, StaticFile>()
  return (path: string): StaticFile | undefined => {
    const known = built.get(path)
    if (known) return known
    const file = findFile(path)
    if (!file) return undefined // Unknown paths are not kept: there is no end of them.
    const served = toStaticFile(file)
    built.set(path, served)
    return served
  }
}

/** A file that stays the same while the server runs. */
interface StaticFile extends ServedFile {
  etag: string
  caching: SiteFile['caching']
}

function toStaticFile({ type, content, caching }: SiteFile): StaticFile {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content
  return { ...toServedFile(type, bytes), etag: `W/"${Bun.hash(bytes).toString(36)}"`, caching }
}

const HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), microphone=(), geolocation=()',
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
}
const cacheControl = { immutable: 'public, max-age=31536000, immutable', revalidated: 'no-cache' }

/** The file, compressed if possible, or 304 if the browser has it. */
function sendStaticFile(request: Request, file: StaticFile): Response {
  const headers = { ...HEADERS, ETag: file.etag, 'Cache-Control': cacheControl[file.caching] }
  const known = request.headers
    .get('if-none-match')
    ?.split(',')
    .map((etag) => etag.trim())
  if (known?.includes(file.etag)) return new Response(null, { status: 304, headers })
  return sendFile(request, file, headers)
}
