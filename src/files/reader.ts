import { open } from 'node:fs/promises'

const WINDOW_BYTES = 256 * 1024
/** How much is read after a jump. Usually only a header is needed before the next jump. */
const FIRST_WINDOW_BYTES = 16 * 1024
/** No real photo or video needs so many reads. A file that was made to keep the server busy would. */
const MAX_READS = 200_000
/** Only headers and tables are read into memory as a whole, never pixels or sound. */
const MAX_READ_BYTES = 4 * 1024 * 1024

/** The file is not valid for its type, or ends too early. */
export class BrokenFile extends Error {}

/** Random access to a file of which only a window is in memory. */
export interface ByteReader {
  readonly size: number
  /** Reads this many bytes at a position. Throws `BrokenFile` if the file ends before. */
  read(at: number, length: number): Promise<Buffer>
  /** The bytes in memory from a position on, at least one; empty at the end of the file. */
  window(at: number): Promise<Buffer>
  close(): Promise<void>
}

export async function openReader(path: string): Promise<ByteReader> {
  const handle = await open(path, 'r')
  const { size } = await handle.stat()
  let start = 0
  let loaded: Buffer = Buffer.alloc(0)
  let reads = 0

  function countRead(): void {
    if (++reads > MAX_READS) throw new BrokenFile('It has too many parts.')
  }

  async function load(at: number, length: number): Promise<void> {
    // A new buffer each time, because buffers that were returned must not change.
    const ahead = at >= start && at <= start + loaded.length ? WINDOW_BYTES : FIRST_WINDOW_BYTES
    const buffer = Buffer.allocUnsafeSlow(Math.max(0, Math.min(Math.max(ahead, length), size - at)))
    let filled = 0
    while (filled < buffer.length) {
      const { bytesRead } = await handle.read(buffer, filled, buffer.length - filled, at + filled)
      if (bytesRead === 0) break
      filled += bytesRead
    }
    start = at
    loaded = buffer.subarray(0, filled)
  }

  return {
    size,
    async read(at, length) {
      countRead()
      if (at < 0 || length < 0 || at + length > size) throw new BrokenFile('The file ends too early.')
      if (length > MAX_READ_BYTES) throw new BrokenFile('A part of the file is too long.')
      if (at < start || at + length > start + loaded.length) await load(at, length)
      if (at + length > start + loaded.length) throw new BrokenFile('The file ends too early.')
      return loaded.subarray(at - start, at - start + length)
    },
    async window(at) {
      countRead()
      if (at < start || at >= start + loaded.length) await load(Math.min(at, size), 0)
      return loaded.subarray(at - start)
    },
    close: () => handle.close(),
  }
}
