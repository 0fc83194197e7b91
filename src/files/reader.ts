import { open } from 'node:fs/promises'

const WINDOW_BYTES = 256 * 1024
/** Of a place that was jumped to: mostly a header is wanted, after which the next jump follows. */
const FIRST_WINDOW_BYTES = 16 * 1024
/** No photo or video has so many parts. One made to keep the server busy would. */
const MAX_READS = 200_000
/** Only structures are read whole, never what they describe. */
const MAX_READ_BYTES = 4 * 1024 * 1024

/** A file that is not what its first bytes say, or that ends too early. */
export class BrokenFile extends Error {}

/** Random access to a file of which only a window is in memory. */
export interface ByteReader {
  readonly size: number
  /** So many bytes from there. Throws `BrokenFile` if the file ends before. */
  read(at: number, length: number): Promise<Buffer>
  /** What is in memory from there, at least one byte; empty at the end of the file. */
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
    // A new buffer each time: those that were returned stay as they are.
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
