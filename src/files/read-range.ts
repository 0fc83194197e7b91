import { type FileHandle, open } from 'node:fs/promises'

const CHUNK_BYTES = 256 * 1024

/** A part of a file as a stream. The file is opened when the first bytes are requested, and read no faster than the reader asks for bytes. */
export function readRange(path: string, { start, end }: { start: number; end: number }): ReadableStream<Uint8Array> {
  let handle: FileHandle | undefined
  let at = start
  const close = async () => {
    const closing = handle
    handle = undefined
    await closing?.close()
  }
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          if (at < end) {
            handle ??= await open(path, 'r')
            const wanted = new Uint8Array(Math.min(CHUNK_BYTES, end - at))
            const { bytesRead } = await handle.read(wanted, 0, wanted.length, at)
            if (bytesRead === 0) throw new Error('The file is shorter than it was.')
            at += bytesRead
            controller.enqueue(wanted.subarray(0, bytesRead))
          }
          if (at < end) return
          await close()
          controller.close()
        } catch (error) {
          await close()
          throw error
        }
      },
      cancel: close,
    },
    { highWaterMark: 0 },
  )
}
