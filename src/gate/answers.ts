export interface Remembered {
  body: string | Uint8Array<ArrayBuffer>
  link?: string
}

/**
 * Answers by their ETag. An ETag names the revision, the viewer and the address, so what is kept under it can
 * never be out of date; it only takes room. Two halves: when the young one is full, the old one is forgotten.
 */
export function openAnswers(mostBytes: number) {
  let young = new Map<string, Remembered>()
  let old = new Map<string, Remembered>()
  let bytes = 0

  return {
    get(etag: string): Remembered | undefined {
      return young.get(etag) ?? old.get(etag)
    },
    set(etag: string, answer: Remembered) {
      bytes += answer.body.length + 200
      if (bytes > mostBytes / 2) {
        old = young
        young = new Map()
        bytes = 0
      }
      young.set(etag, answer)
    },
  }
}
