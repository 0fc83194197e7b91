import { Problem } from '../../contract/errors'
import { openBuckets } from './token-buckets'

export interface RateLimit {
  /** Takes one request of a token, or throws. The headers tell what is left. */
  take(tokenKey: number): Record<string, string>
}

const MOST_BUCKETS = 100_000

/** A bucket for each token: it holds twice what flows in each second. */
export function openRateLimit(perSecond: number, clock: () => number): RateLimit {
  if (perSecond === 0) return { take: () => ({}) }
  const size = perSecond * 2
  const policy = `"default";q=${size};w=2`
  const buckets = openBuckets<number>({ perSecond, size, most: MOST_BUCKETS, clock })

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
        `This token may send ${perSecond} requests a second, ${size} at once. Wait ${waitSeconds} s.`,
        undefined,
        { ...headers, 'Retry-After': String(waitSeconds) },
      )
    },
  }
}
