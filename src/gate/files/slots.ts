import { Problem } from '../../contract/errors'

const MAX_PER_CALLER = 10
const MAX_TOTAL = 200

/** Limits how many uploads are received at once: each takes a connection, a file and some memory for as long as it lasts. */
export function openUploadSlots(maxPerCaller = MAX_PER_CALLER, maxTotal = MAX_TOTAL) {
  const byCaller = new Map<number, number>()
  let total = 0

  return {
    /** Takes a slot, or throws. Returns the function that frees it. */
    take(caller: number): () => void {
      const own = byCaller.get(caller) ?? 0
      if (own >= maxPerCaller)
        throw new Problem(
          'rate_limited',
          `At most ${maxPerCaller} files can be uploaded at once with a token. Wait until one is complete.`,
          undefined,
          { 'Retry-After': '2', Connection: 'close' },
        )
      if (total >= maxTotal)
        throw new Problem('unavailable', 'The server is receiving too many files at once. Try again.', undefined, {
          'Retry-After': '5',
          Connection: 'close',
        })
      byCaller.set(caller, own + 1)
      total += 1
      return () => {
        total -= 1
        const left = byCaller.get(caller)! - 1
        if (left > 0) byCaller.set(caller, left)
        else byCaller.delete(caller)
      }
    },
    active: () => total,
  }
}
