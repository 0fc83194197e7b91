import { ApiError, toApiError } from '../../../client'
import type { PageToken } from '../../../contract/sessions'
import { endpoints } from '../../paths'
import { eraseKept } from './kept-store'

/** A short-lived token, issued for the session cookie, kept in memory and renewed before it expires. */
let current: PageToken | undefined
let pending: Promise<PageToken> | undefined
/** The end of the log before anything was read. */
let eventsCursor: string | undefined
const RENEW_EARLY_MS = 60_000

/** Calls one of the session endpoints. Throws an ApiError if it fails. */
export async function requestSession<T>(method: string, path: string, body?: object): Promise<T> {
  const response = await fetch(path, {
    method,
    headers: { 'Content-Type': 'application/json' },
    body: body && JSON.stringify(body),
  })
  if (!response.ok) throw await toApiError(response)
  // Someone signed in or out: nothing of whoever used this browser before stays.
  if (path === endpoints.session || (path === endpoints.sessionJoin && response.status === 201)) await eraseDevice()
  return (response.status === 204 ? undefined : await response.json()) as T
}

/** Erases what was kept of the responses to whoever was signed in. */
export const eraseDevice = eraseKept

async function getPageToken(): Promise<string> {
  if (!current || Date.parse(current.expires_at) - RENEW_EARLY_MS < Date.now()) {
    pending ??= requestToken().finally(() => {
      pending = undefined
    })
    current = await pending
    eventsCursor ??= current.events_cursor
  }
  return current.token
}

/** Whose session it is. */
export async function getTokenOwner(): Promise<string> {
  await getPageToken()
  return current!.member_id
}

const requestToken = async () => (await takeFirstToken()) ?? requestSession<PageToken>('POST', endpoints.sessionToken)

/** The position in the log that all responses include. It can be used once: later, events were missed. */
export async function takeEventsCursor(): Promise<string | undefined> {
  await getPageToken()
  const cursor = eventsCursor
  eventsCursor = ''
  return cursor || undefined
}

function clearToken() {
  current = undefined
}

/** Sends something with the member's token. If the token is rejected, renews it and sends it once more. */
export async function sendAuthorized(send: (token: string) => Promise<Response>): Promise<Response> {
  const response = await send(await getPageToken())
  if (response.status !== 401) return response
  clearToken()
  return send(await getPageToken())
}

/** Sends a request with the member's token. */
export const authorizedFetch = (async (input: string, init: RequestInit = {}) => {
  const first = await takeFirstResponse(init.method, input)
  if (first && first.status !== 401) return first
  return sendAuthorized((token) => {
    const headers = new Headers(init.headers)
    headers.set('Authorization', `Bearer ${token}`)
    return fetch(input, { ...init, headers, keepalive: mustOutlivePage(init) })
  })
}) as typeof fetch

/** How many bytes browsers still send after a page is closed. */
const MAX_KEPT_ALIVE = 60_000

/** Whether a request must be completed even if the page is closed. */
const mustOutlivePage = ({ method = 'GET', body }: RequestInit): boolean =>
  method !== 'GET' && document.visibilityState === 'hidden' && getSize(body) < MAX_KEPT_ALIVE

/** The number of bytes of a body; infinite if it is not known. */
function getSize(body: RequestInit['body']): number {
  if (body === undefined || body === null) return 0
  if (body instanceof Blob) return body.size
  return typeof body === 'string' ? new Blob([body]).size : Number.POSITIVE_INFINITY
}

export const isSignedOut = (error: unknown) => error instanceof ApiError && error.status === 401

/** What the page asks for while the scripts of the app are still loading. */
export interface FirstRequests {
  token?: Promise<PageToken | undefined>
  /** By address. */
  responses: Map<string, Promise<Response | undefined>>
}

declare global {
  interface Window {
    firstRequests?: FirstRequests
  }
}

/** The token that was requested first; undefined if there is none. */
function takeFirstToken(): Promise<PageToken | undefined> | undefined {
  const token = window.firstRequests?.token
  if (window.firstRequests) window.firstRequests.token = undefined
  return token
}

/** The response to a request that was sent first. Each can be used once. */
function takeFirstResponse(method: string | undefined, url: string): Promise<Response | undefined> | undefined {
  const responses = window.firstRequests?.responses
  if (method !== 'GET' || !responses?.has(url)) return undefined
  const response = responses.get(url)
  responses.delete(url)
  return response
}

/** Responses that nobody has used become outdated. */
export const dropFirstResponses = () => window.firstRequests?.responses.clear()
