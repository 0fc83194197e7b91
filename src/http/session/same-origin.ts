import { Problem } from '../../contract/errors'

/** Refuses what another site's page sends in the name of whoever is signed in here. */
export function refuseOtherSites(request: Request, base: string, isSecure: boolean) {
  const site = request.headers.get('sec-fetch-site')
  const origin = request.headers.get('origin')
  const isOwn = (site === null || site === 'same-origin' || site === 'none') && isOwnOrigin()
  if (!isOwn) throw new Problem('forbidden', 'This is for pages of this server only.')

  function isOwnOrigin(): boolean {
    if (origin === null || origin === base) return true
    // Without TLS, people reach it under any name it has: what counts is that page and server are the same.
    return !isSecure && URL.canParse(origin) && new URL(origin).host === request.headers.get('host')
  }
}

/** A form of another site cannot send this type without the browser asking first. */
export function requireJsonType(request: Request) {
  const type = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase()
  if (type !== 'application/json')
    throw new Problem('unsupported_media_type', 'Send `Content-Type: application/json`, also where there is no body.')
}
