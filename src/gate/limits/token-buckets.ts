/** One bucket: what is left in it now, and how many seconds until there is one more. */
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
  /** What flows in each second, and what a bucket holds. */
  perSecond: number
  size: number
  /** How many buckets there are at most. */
  most: number
  clock: () => number
}

interface Bucket {
  left: number
  at: number
}

/** How many times as much all those share for whom there is no bucket of their own. */
const OVERFLOW_FACTOR = 100

/**
 * A token bucket for each key. A bucket that nobody has touched for as long as it takes to fill is the same as a new one, so
 * it is dropped without anyone gaining by it. No other one is ever dropped: whoever comes with more keys than there are
 * buckets cannot make the server forget a key that is over its limit. New keys then share one bucket, until there is room.
 */
export function openBuckets<Key>({ perSecond, size, most, clock }: Options): Buckets<Key> {
  /** In the order of their last use. */
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

  /** Drops at most two, so the map shrinks again after a rush and no request pays for all of it. */
  function makeRoom(now: number): boolean {
    for (let turn = 0; turn < 2; turn++) {
      const oldest = buckets.entries().next().value
      if (!oldest || now - oldest[1].at < fillMs) break
      buckets.delete(oldest[0])
    }
    return buckets.size < most
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
