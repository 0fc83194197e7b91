import { type ServedFile, sendFile, toServedFile } from './web/served-file'

/** A file that stays the same while the server runs. */
export interface StaticFile extends ServedFile {
  etag: string
  caching: 'immutable' | 'revalidated'
}

export function toStaticFile(
  type: string,
  content: string | Uint8Array<ArrayBuffer>,
  caching: StaticFile['caching'],
): StaticFile {
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
export function sendStaticFile(request: Request, file: StaticFile): Response {
  const headers = { ...HEADERS, ETag: file.etag, 'Cache-Control': cacheControl[file.caching] }
  const known = request.headers
    .get('if-none-match')
    ?.split(',')
    .map((etag) => etag.trim())
  if (known?.includes(file.etag)) return new Response(null, { status: 304, headers })
  return sendFile(request, file, headers)
}
