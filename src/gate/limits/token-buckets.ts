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
