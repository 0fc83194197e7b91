import { Problem } from '../../contract/errors'
import { MAX_FORM_BYTES } from '../../gate/files/pictures'

const MAX_HEADER_BYTES = 16 * 1024

export type FormReader = ReturnType<typeof openFormReader>

/** Reads the parts of a form (RFC 7578) one after the other, so that only one chunk at a time is in memory. */
export function openFormReader(body: ReadableStream<Uint8Array>, boundary: string) {
  const reader = body.getReader()
  const delimiter = Buffer.from(`\r\n--${boundary}`)
  // The first delimiter may be the start of the body.
  let buffer: Buffer = Buffer.from('\r\n')
  let otherBytes = 0

  async function readMore() {
    const { done, value } = await reader.read()
    if (done) throw malformed('It ends too early.')
    buffer =
      buffer.length === 0 ? Buffer.from(value.buffer, value.byteOffset, value.length) : Buffer.concat([buffer, value])
  }

  /**
   * The next bytes before the delimiter; null once it is reached, and read. The content of a part begins with the line break
   * after its headers.
   */
  async function readBytes(): Promise<Buffer | null> {
    for (;;) {
      const at = buffer.indexOf(delimiter)
      const safe = at < 0 ? buffer.length - delimiter.length + 1 : at
      if (safe > 0) {
        const bytes = buffer.subarray(0, safe)
        buffer = buffer.subarray(safe)
        return bytes
      }
      if (at === 0) {
        buffer = buffer.subarray(delimiter.length)
        return null
      }
      await readMore()
    }
  }

  function countOther(bytes: number) {
    otherBytes += bytes
    if (otherBytes > MAX_FORM_BYTES) throw malformed('It contains too much data besides the file.')
  }

  async function skipPart() {
    for (let bytes = await readBytes(); bytes; bytes = await readBytes()) countOther(bytes.length)
  }

  /** The headers of the next part; undefined at the end of the form. */
  async function readHeaders(): Promise<Map<string, string> | undefined> {
    while (buffer.length < 2) await readMore()
    if (buffer.subarray(0, 2).toString('latin1') === '--') return undefined
    let end = buffer.indexOf('\r\n\r\n')
    while (end < 0) {
      if (buffer.length > MAX_HEADER_BYTES) throw malformed('The headers of a part are too long.')
      await readMore()
      end = buffer.indexOf('\r\n\r\n')
    }
    const text = buffer.subarray(0, end).toString('utf8')
    // A part without content ends with the line break of its headers.
    buffer = buffer.subarray(end + 2)
    countOther(end)
    return parseHeaders(text)
  }

  /** Reads what follows the last part. */
  async function readRest() {
    countOther(buffer.length)
    for (let rest = await reader.read(); !rest.done; rest = await reader.read()) countOther(rest.value.length)
  }

  return { readBytes, skipPart, readHeaders, readRest, cancel: (reason?: unknown) => reader.cancel(reason) }
}

const parseHeaders = (text: string) =>
  new Map(
    text
      .split('\r\n')
      .filter(Boolean)
      .map((line): [string, string] => {
        const colon = line.indexOf(':')
        return [line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()]
      }),
  )

export const malformed = (detail: string) =>
  new Problem('malformed_request', `The form is not valid. ${detail}`, undefined, { Connection: 'close' })
