import { Problem } from '../../contract/errors'

/** Refuses cross-site requests (CSRF). */
export function refuseOtherSites(request: Request, base: string, isSecure: boolean) {
  const site = request.headers.get('sec-fetch-site')
  const origin = request.headers.get('origin')
  const isOwn = (site === null || site === 'same-origin' || site === 'none') && isOwnOrigin()
  if (!isOwn) throw new Problem('forbidden', 'Only pages of this server can use this endpoint.')

  function isOwnOrigin(): boolean {
    if (origin === null || origin === base) return true
    // Without TLS, people may use any name of this server; page and server must have the same one.
    return !isSecure && URL.canParse(origin) && new URL(origin).host === request.headers.get('host')
  }
}

/** Forms of other sites cannot send this type without a CORS preflight. */
export function requireJsonType(request: Request) {
  const type = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase()
  if (type !== 'application/json')
    throw new Problem('unsupported_media_type', 'Send `Content-Type: application/json`, even without a body.')
}
