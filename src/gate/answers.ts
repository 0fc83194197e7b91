/** What an answer costs besides its body, about. */
const OVERHEAD = 300

export interface Remembered {
  body: string | Uint8Array<ArrayBuffer>
  link?: string
  /** The body is a record that is remembered by itself, and takes no further room. */
  isRecord?: boolean
}

/**
 * Answers by their ETag. An ETag names the revision, the viewer and the address, so what is kept under it can
 * never be out of date; it only takes room. Two halves: when the young one is full, the old one is forgotten.
 */
export function openAnswers(mostBytes: number) {
  let young = new Map<string, Remembered>()
  let old = new Map<string, Remembered>()
  let bytes = 0

  const set = (etag: string, answer: Remembered) => {
    const cost = OVERHEAD + (answer.isRecord ? 0 : answer.body.length)
    bytes += cost
    if (bytes > mostBytes / 2) {
      old = young
      young = new Map()
      bytes = cost
    }
    young.set(etag, answer)
  }
  return {
    get(etag: string): Remembered | undefined {
      const recent = young.get(etag)
      if (recent) return recent
      const older = old.get(etag)
      // What is asked for again stays.
      if (older) set(etag, older)
      return older
    },
    set,
  }
}
