/** Bodies from this size on are sent in parts, as the client reads them. Bun copies whole bodies that it cannot send at once. */
export const LARGE_BODY = 256 * 1024
const PART = 64 * 1024
const MAX_UNSENT_BYTES = 64 * 2 ** 20

/** Sends large bodies without copying them, and bounds how much of them is kept for clients that do not read. */
export interface LargeResponses {
  stream(body: Uint8Array<ArrayBuffer>): ReadableStream<Uint8Array<ArrayBuffer>>
  unsentBytes(): number
}

/**
 * All bodies that are being sent share `maxBytes`; one that several clients get counts once. Beyond that, the connection is
 * closed whose client has read nothing for the longest time. Refusing new requests instead would let a few clients that do not
 * read keep out all others.
 */
export function openLargeResponses(maxBytes = MAX_UNSENT_BYTES): LargeResponses {
  /** How to end each, the one first whose client last read the longest time ago. */
  const sending = new Map<object, () => void>()
  const readersOf = new Map<ArrayBuffer, number>()
  let unsent = 0

  function hold({ buffer }: Uint8Array<ArrayBuffer>) {
    const readers = readersOf.get(buffer) ?? 0
    readersOf.set(buffer, readers + 1)
    if (readers === 0) unsent += buffer.byteLength
  }

  function release({ buffer }: Uint8Array<ArrayBuffer>) {
    const readers = readersOf.get(buffer)! - 1
    if (readers > 0) readersOf.set(buffer, readers)
    else {
      readersOf.delete(buffer)
      unsent -= buffer.byteLength
    }
  }

  /** The newest may be larger than all that is allowed: its client has had no time to read. */
  function makeRoom() {
    for (const [id, end] of sending) {
      if (unsent <= maxBytes || sending.size === 1) return
      sending.delete(id)
      end()
    }
  }

  function stream(body: Uint8Array<ArrayBuffer>) {
    const id = {}
    let at = 0
    const finish = () => {
      if (sending.delete(id)) release(body)
    }
    return new ReadableStream<Uint8Array<ArrayBuffer>>(
      {
        // Counted from here on: Bun neither pulls nor cancels what a client has not waited for.
        pull(controller) {
          const isFirst = at === 0
          if (isFirst) hold(body)
          // Moves to the end.
          sending.delete(id)
          sending.set(id, () => {
            release(body)
            controller.error(new Error('The client does not read.'))
          })
          if (isFirst) makeRoom()
          controller.enqueue(body.subarray(at, at + PART))
          at += PART
          if (at < body.length) return
          finish()
          controller.close()
        },
        cancel: finish,
      },
      { highWaterMark: 0 },
    )
  }

  return { stream, unsentBytes: () => unsent }
}
