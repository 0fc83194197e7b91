import { Problem } from '../../contract/errors'
import { openBuckets } from './token-buckets'

export interface RateLimit {
  /** Counts one request of a token, or throws. Returns the headers that say what is left. */
  take(tokenKey: number): Record<string, string>
  /** Counts what an incoming webhook is sent, or throws. */
  takeForHook(hookKey: number): void
}

/** A channel that gets more than a post a second is of no use to anyone. Bursts are usual when something breaks. */
const HOOK_PER_SECOND = 1
const HOOK_BURST = 30

const MAX_BUCKETS = 100_000

/** Limits requests by token, with bursts of twice the rate. */
export function openRateLimit(perSecond: number, clock: () => number): RateLimit {
  if (perSecond === 0) return { take: () => ({}), takeForHook: () => {} }
  const size = perSecond * 2
  const policy = `"default";q=${size};w=2`
  const buckets = openBuckets<number>({ perSecond, size, maxBuckets: MAX_BUCKETS, clock })
  const hooks = openBuckets<number>({
    perSecond: HOOK_PER_SECOND,
    size: HOOK_BURST,
    maxBuckets: MAX_BUCKETS,
    clock,
  })

  return {
    take(tokenKey) {
      const { isEmpty, left, waitSeconds } = buckets.take(tokenKey)
      const headers = {
        'RateLimit-Policy': policy,
        RateLimit: `"default";r=${Math.floor(left)};t=${Math.ceil((size - left) / perSecond)}`,
      }
      if (!isEmpty) return headers
      throw new Problem(
        'rate_limited',
        `This token is limited to ${perSecond} requests per second, in bursts of up to ${size}. Retry in ${waitSeconds} s.`,
        undefined,
        { ...headers, 'Retry-After': String(waitSeconds) },
      )
    },
    takeForHook(hookKey) {
      const { isEmpty, waitSeconds } = hooks.take(hookKey)
      if (!isEmpty) return
      throw new Problem(
        'rate_limited',
        `An incoming webhook takes ${HOOK_PER_SECOND} message per second, in bursts of up to ${HOOK_BURST}. Retry in ${waitSeconds} s.`,
        undefined,
        { 'Retry-After': String(waitSeconds) },
      )
    },
  }
}
