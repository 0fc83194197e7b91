import { ParleyError } from '../../client'
import type { ProblemBody } from '../../contract/errors'
import type { PageToken } from '../../contract/sessions'
import { endpoints } from '../paths'

/** The page's short-lived token: traded for the session cookie, kept in memory, renewed before it ends. */
let current: PageToken | undefined
let pending: Promise<PageToken> | undefined
const RENEW_EARLY_MS = 60_000

/** A request to the session's own endpoints. Throws what the server says is wrong. */
export async function requestSession<T>(method: string, path: string, body?: object): Promise<T> {
  const response = await fetch(path, {
    method,
    headers: { 'Content-Type': 'application/json' },
    body: body && JSON.stringify(body),
  })
  if (!response.ok) throw new ParleyError((await response.json()) as ProblemBody, response.headers)
  return (response.status === 204 ? undefined : await response.json()) as T
}

async function getPageToken(): Promise<string> {
  if (!current || Date.parse(current.expires_at) - RENEW_EARLY_MS < Date.now()) {
    pending ??= requestSession<PageToken>('POST', endpoints.sessionToken).finally(() => {
      pending = undefined
    })
    current = await pending
  }
  return current.token
}

export function clearToken() {
  current = undefined
}

/** Sends a request as whoever is signed in. A token that ended early is renewed once. */
export const authorizedFetch = (async (input: string, init: RequestInit = {}) => {
  const send = async () =>
    fetch(input, {
      ...init,
      headers: { ...(init.headers as Record<string, string>), Authorization: `Bearer ${await getPageToken()}` },
    })
  const response = await send()
  if (response.status !== 401) return response
  clearToken()
  return send()
}) as typeof fetch

export const isSignedOut = (error: unknown) => error instanceof ParleyError && error.status === 401
