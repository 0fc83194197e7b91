import type { IncomingFile } from '../../gate/files/pictures'
import { type FormReader, malformed, openFormReader } from './form-reader'

/**
 * Finds the part `file` of a form (RFC 7578) and returns it as a stream, so that only one chunk at a time is in memory. Other parts
 * are skipped. The stream fails if the form is not complete, so that half a file is never taken for a whole one.
 */
export async function readMultipart(body: ReadableStream<Uint8Array>, boundary: string): Promise<IncomingFile> {
  const form = openFormReader(body, boundary)
  return cancelOnError(form, async () => {
    const headers = await findFile(form)
    const type = headers.get('content-type')?.split(';')[0]?.trim().toLowerCase()
    return { name: nameOf(headers), type, stream: streamFile(form) }
  })
}

/** Skips everything before the file. Returns its headers. */
async function findFile(form: FormReader): Promise<Map<string, string>> {
  for (;;) {
    await form.skipPart()
    const headers = await form.readHeaders()
    if (!headers) throw malformed('It has no part called `file`.')
    if (isFile(headers)) return headers
  }
}

function streamFile(form: FormReader): ReadableStream<Uint8Array> {
  let isFirst = true

  async function pull(controller: ReadableStreamDefaultController<Uint8Array>) {
    for (;;) {
      const bytes = await (isFirst ? readFirstBytes(form) : form.readBytes())
      isFirst = false
      if (bytes?.length === 0) continue
      if (bytes) return controller.enqueue(bytes)
      await readEnd(form)
      return controller.close()
    }
  }

  return new ReadableStream<Uint8Array>(
    { pull: (controller) => cancelOnError(form, () => pull(controller)), cancel: form.cancel },
    { highWaterMark: 0 },
  )
}

/** The first bytes of a part, without the line break between its headers and its content. */
async function readFirstBytes(form: FormReader): Promise<Buffer | null> {
  let bytes = await form.readBytes()
  while (bytes && bytes.length < 2) {
    const more = await form.readBytes()
    if (!more) throw malformed('A part has no content.')
    bytes = Buffer.concat([bytes, more])
  }
  return bytes?.subarray(2) ?? null
}

/** Reads what follows the file, and refuses a second one. */
async function readEnd(form: FormReader) {
  for (let headers = await form.readHeaders(); headers; headers = await form.readHeaders()) {
    if (isFile(headers)) throw malformed('It contains several files. Send one file in each request.')
    await form.skipPart()
  }
  await form.readRest()
}

async function cancelOnError<T>(form: FormReader, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    void form.cancel().catch(() => {})
    throw error
  }
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
