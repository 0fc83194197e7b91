import { Problem } from '../contract/errors'

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
  const buckets = new Map<number, { left: number; at: number }>()

  return {
    take(tokenKey) {
      const now = clock()
      if (buckets.size >= MOST_BUCKETS) buckets.clear()
      const bucket = buckets.getOrInsertComputed(tokenKey, () => ({ left: size, at: now }))
      bucket.left = Math.min(size, bucket.left + (Math.max(0, now - bucket.at) / 1000) * perSecond)
      bucket.at = now
      const isEmpty = bucket.left < 1
      if (!isEmpty) bucket.left -= 1

      const untilFull = Math.ceil((size - bucket.left) / perSecond)
      const headers = {
        'RateLimit-Policy': policy,
        RateLimit: `"default";r=${Math.floor(bucket.left)};t=${untilFull}`,
      }
      if (!isEmpty) return headers
      const wait = Math.max(1, Math.ceil((1 - bucket.left) / perSecond))
      throw new Problem(
        'rate_limited',
        `This token may send ${perSecond} requests a second, ${size} at once. Wait ${wait} s.`,
        undefined,
        { ...headers, 'Retry-After': String(wait) },
      )
    },
  }
}
