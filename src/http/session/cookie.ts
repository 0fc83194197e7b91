import { Problem } from '../../contract/errors'

const PLAIN = 'parley_session'
/** With this prefix, browsers accept the cookie only over TLS, from this host, for all paths. */
const BOUND = `__Host-${PLAIN}`

const nameOf = (isSecure: boolean) => (isSecure ? BOUND : PLAIN)

/** The session secret in the cookie of a request, if any. */
export function sessionOf(request: Request, isSecure: boolean): string | undefined {
  const start = `${nameOf(isSecure)}=`
  const cookies = request.headers.get('cookie')?.split(';') ?? []
  return (
    cookies
      .map((cookie) => cookie.trim())
      .find((cookie) => cookie.startsWith(start))
      ?.slice(start.length) || undefined
  )
}

export const sessionCookie = (secret: string, milliseconds: number, isSecure: boolean): string =>
  `${nameOf(isSecure)}=${secret}; Path=/; Max-Age=${Math.floor(milliseconds / 1000)}; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`

export const clearCookie = (isSecure: boolean): string => sessionCookie('', 0, isSecure)

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

const browsers: [RegExp, string][] = [
  [/\bEdgA?\/|\bEdgiOS\//, 'Edge'],
  [/\bOPR\/|\bOPiOS\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\bFirefox\/|\bFxiOS\//, 'Firefox'],
  [/\bChromium\//, 'Chromium'],
  [/\bChrome\/|\bCriOS\//, 'Chrome'],
  [/\bVersion\/.*\bSafari\//, 'Safari'],
]
const systems: [RegExp, string][] = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b|\bMacintosh\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
]

const MAX_LENGTH = 1_000

/** A browser by name, as in “Firefox on Linux”. Words of ours only: what a browser calls itself is anybody's text. */
export function browserName(userAgent: string | null): string {
  const text = userAgent?.slice(0, MAX_LENGTH) ?? ''
  const known = (names: [RegExp, string][]) => names.find(([pattern]) => pattern.test(text))?.[1]
  const [browser, system] = [known(browsers), known(systems)]
  if (browser && system) return `${browser} on ${system}`
  return browser ?? (system ? `Browser on ${system}` : 'Unknown browser')
}
