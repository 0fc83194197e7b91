const PLAIN = 'parley_session'
/** Over TLS the browser itself sees to it that no other host or path has set it. */
const BOUND = `__Host-${PLAIN}`

const nameOf = (isSecure: boolean) => (isSecure ? BOUND : PLAIN)

/** The secret of the session a browser brings along, if any. */
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

export const noCookie = (isSecure: boolean): string => sessionCookie('', 0, isSecure)
