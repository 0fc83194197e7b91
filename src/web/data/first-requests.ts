import type { PageToken } from '../../contract/sessions'

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
export function takeFirstToken(): Promise<PageToken | undefined> | undefined {
  const token = window.firstRequests?.token
  if (window.firstRequests) window.firstRequests.token = undefined
  return token
}

/** The response to a request that was sent first. Each can be used once. */
export function takeFirstResponse(method: string | undefined, url: string): Promise<Response | undefined> | undefined {
  const responses = window.firstRequests?.responses
  if (method !== 'GET' || !responses?.has(url)) return undefined
  const response = responses.get(url)
  responses.delete(url)
  return response
}

/** Responses that nobody has used become outdated. */
export const dropFirstResponses = () => window.firstRequests?.responses.clear()
