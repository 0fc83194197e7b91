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
