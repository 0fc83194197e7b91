import { Problem } from '../contract/errors'

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

/** What is left in a bucket, and how many seconds until there is one more. */
export interface Taken {
  isEmpty: boolean
  left: number
  waitSeconds: number
}

export interface Buckets<Key> {
  take(key: Key): Taken
  /** Puts back what was taken. */
  giveBack(key: Key): void
}

interface Options {
  /** How many are added each second, and how many a bucket holds. */
  perSecond: number
  size: number
  maxBuckets: number
  clock: () => number
}

interface Bucket {
  left: number
  at: number
}

/** How much larger the shared bucket is. */
const OVERFLOW_FACTOR = 100

/**
 * A token bucket for each key. Only buckets that are full again are evicted, since they equal a new one: nobody can reset
 * a key that is over its limit by sending many other keys. While there is no room, new keys share one bucket.
 */
export function openBuckets<Key>({ perSecond, size, maxBuckets, clock }: Options): Buckets<Key> {
  /** Least recently used first. */
  const buckets = new Map<Key, Bucket>()
  const overflow: Bucket = { left: size * OVERFLOW_FACTOR, at: clock() }
  const fillMs = (size / perSecond) * 1000

  function bucketOf(key: Key, now: number): Bucket | undefined {
    const known = buckets.get(key)
    if (known) buckets.delete(key)
    else if (!makeRoom(now)) return undefined
    const bucket = known ?? { left: size, at: now }
    buckets.set(key, bucket)
    return bucket
  }

  /** Evicts at most two, so that the map shrinks after a burst and no request pays for all of it. */
  function makeRoom(now: number): boolean {
    for (let turn = 0; turn < 2; turn++) {
      const oldest = buckets.entries().next().value
      if (!oldest || now - oldest[1].at < fillMs) break
      buckets.delete(oldest[0])
    }
    return buckets.size < maxBuckets
  }

  return {
    take(key) {
      const now = clock()
      const bucket = bucketOf(key, now)
      return bucket
        ? takeFrom(bucket, now, perSecond, size)
        : takeFrom(overflow, now, perSecond * OVERFLOW_FACTOR, size * OVERFLOW_FACTOR)
    },
    giveBack(key) {
      const bucket = buckets.get(key)
      if (bucket) bucket.left = Math.min(size, bucket.left + 1)
    },
  }
}

function takeFrom(bucket: Bucket, now: number, perSecond: number, size: number): Taken {
  bucket.left = Math.min(size, bucket.left + (Math.max(0, now - bucket.at) / 1000) * perSecond)
  bucket.at = now
  const isEmpty = bucket.left < 1
  if (!isEmpty) bucket.left -= 1
  return { isEmpty, left: bucket.left, waitSeconds: Math.max(1, Math.ceil((1 - bucket.left) / perSecond)) }
}
