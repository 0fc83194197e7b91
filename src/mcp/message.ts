import { Problem } from '../contract/errors'

/** More than any message needs. The library validates each value several times: for a megabyte of them, that takes half a second. */
const MAX_VALUES = 1_000

/** Refuses what the library must not get: it would not come to an end, or not soon. */
export function requireMessage(body: unknown) {
  // Only one revision of the protocol had them. In a batch, a message that cancels another one leaves no answer to wait for.
  if (Array.isArray(body)) throw new Problem('malformed_request', 'Send one message in each request, not a batch.')
  if (isLarge(body)) throw new Problem('malformed_request', `A message can have at most ${MAX_VALUES} values.`)
}

function isLarge(message: unknown): boolean {
  const found = [message]
  for (const value of found) {
    if (typeof value !== 'object' || value === null) continue
    for (const name in value) if (found.push(value[name as never]) > MAX_VALUES) return true
  }
  return false
}
