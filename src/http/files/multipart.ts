import { Problem } from '../../contract/errors'
import { type IncomingFile, MAX_FORM_BYTES } from '../../gate/files/incoming'

const MAX_HEADER_BYTES = 16 * 1024

/**
 * Finds the part `file` of a form (RFC 7578) and returns it as a stream, so that only one chunk at a time is in memory. Other parts
 * are skipped. The stream fails if the form is not complete, so that half a file is never taken for a whole one.
 */
export async function readMultipart(body: ReadableStream<Uint8Array>, boundary: string): Promise<IncomingFile> {
  const reader = body.getReader()
  const delimiter = Buffer.from(`\r\n--${boundary}`)
  // The first delimiter may be the start of the body.
  let buffer: Buffer = Buffer.from('\r\n')
  let otherBytes = 0

  async function more() {
    const { done, value } = await reader.read()
    if (done) throw malformed('It ends too early.')
    buffer =
      buffer.length === 0 ? Buffer.from(value.buffer, value.byteOffset, value.length) : Buffer.concat([buffer, value])
  }

  /** The next bytes before the delimiter; null once it is reached, and read. */
  async function nextBytes(): Promise<Buffer | null> {
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
      await more()
    }
  }

  function countOther(bytes: number) {
    otherBytes += bytes
    if (otherBytes > MAX_FORM_BYTES) throw malformed('It contains too much data besides the file.')
  }

  async function skipPart() {
    for (let bytes = await nextBytes(); bytes; bytes = await nextBytes()) countOther(bytes.length)
  }

  /** The headers of the next part; undefined at the end of the form. */
  async function readHeaders(): Promise<Map<string, string> | undefined> {
    while (buffer.length < 2) await more()
    if (buffer.subarray(0, 2).toString('latin1') === '--') return undefined
    let end = buffer.indexOf('\r\n\r\n')
    while (end < 0) {
      if (buffer.length > MAX_HEADER_BYTES) throw malformed('The headers of a part are too long.')
      await more()
      end = buffer.indexOf('\r\n\r\n')
    }
    const lines = buffer.subarray(0, end).toString('utf8').split('\r\n').filter(Boolean)
    // A part without content ends with the line break of its headers.
    buffer = buffer.subarray(end + 2)
    countOther(end)
    return new Map(
      lines.map((line): [string, string] => {
        const colon = line.indexOf(':')
        return [line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()]
      }),
    )
  }

  async function readEnd() {
    for (let headers = await readHeaders(); headers; headers = await readHeaders()) {
      if (isFile(headers)) throw malformed('It contains several files. Send one file in each request.')
      await skipPart()
    }
    countOther(buffer.length)
    for (let rest = await reader.read(); !rest.done; rest = await reader.read()) countOther(rest.value.length)
  }

  try {
    await skipPart()
    let headers = await readHeaders()
    while (headers && !isFile(headers)) {
      await skipPart()
      headers = await readHeaders()
    }
    if (!headers) throw malformed('It has no part called `file`.')
    let isFirst = true
    const stream = new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          try {
            for (;;) {
              let bytes = await nextBytes()
              if (bytes && isFirst) {
                // The line break between headers and content.
                while (bytes.length < 2) bytes = Buffer.concat([bytes, (await nextBytes()) ?? fail()])
                bytes = bytes.subarray(2)
              }
              isFirst = false
              if (bytes?.length === 0) continue
              if (bytes) return controller.enqueue(bytes)
              await readEnd()
              return controller.close()
            }
          } catch (error) {
            void reader.cancel().catch(() => {})
            throw error
          }
        },
        cancel: (reason) => reader.cancel(reason),
      },
      { highWaterMark: 0 },
    )
    return { name: nameOf(headers), type: headers.get('content-type')?.split(';')[0]?.trim().toLowerCase(), stream }
  } catch (error) {
    void reader.cancel().catch(() => {})
    throw error
  }
}

const fail = (): never => {
  throw malformed('A part has no content.')
}

const isFile = (headers: Map<string, string>) => parameter(headers, 'name') === 'file'

function nameOf(headers: Map<string, string>): string | undefined {
  const encoded = headers.get('content-disposition')?.match(/;\s*filename\*=UTF-8''([^;\s]+)/i)?.[1]
  try {
    if (encoded) return decodeURIComponent(encoded)
  } catch {
    // The encoded name is not valid. The plain name is there as well.
  }
  return parameter(headers, 'filename')
}

/** Browsers write a quotation mark in a name as `%22`, and line breaks as `%0D%0A`. */
const parameter = (headers: Map<string, string>, name: string): string | undefined =>
  headers
    .get('content-disposition')
    ?.match(new RegExp(`;\\s*${name}=(?:"((?:[^"\\\\]|\\\\.)*)"|([^;\\s]*))`, 'i'))
    ?.slice(1)
    .find((value) => value !== undefined)
    ?.replace(/%22/g, '"')
    .replace(/%0D|%0A/gi, '')

const malformed = (detail: string) =>
  new Problem('malformed_request', `The form is not valid. ${detail}`, undefined, { Connection: 'close' })
