import { Problem } from '../../contract/errors'

const MAX_PER_CALLER = 10
const MAX_TOTAL = 200

/** Limits how many uploads run at once, because each of them needs a connection, an open file and some memory. */
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
          `A token can upload at most ${maxPerCaller} files at once. Wait until an upload is complete.`,
          undefined,
          { 'Retry-After': '2', Connection: 'close' },
        )
      if (total >= maxTotal)
        throw new Problem(
          'unavailable',
          'The server is receiving too many files at once. Try again shortly.',
          undefined,
          {
            'Retry-After': '5',
            Connection: 'close',
          },
        )
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
