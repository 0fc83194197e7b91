import { setImmediate } from 'node:timers/promises'
import { Busboy, type BusboyFileStream, type BusboyInstance } from '@fastify/busboy'
import { Problem } from '../../contract/errors'
import { type IncomingFile, MAX_FORM_BYTES } from '../../gate/files/incoming'

const BOUNDARY = /;\s*boundary=(?:"[^"]{1,70}"|[^\s;"]{1,70})/i

/**
 * Finds the part `file` of a form (RFC 7578) and returns it as a stream, so that only a few chunks are in memory. Other parts are
 * skipped. The stream fails if the form is not complete, so that half a file is never taken for a whole one.
 */
export function readForm(form: BusboyInstance, body: ReadableStream<Uint8Array>): Promise<IncomingFile> {
  const reader = body.getReader()
  const found = Promise.withResolvers<IncomingFile>()
  let file: BusboyFileStream | undefined
  let bytes = 0
  let isComplete = false
  let failure: Error | undefined

  function fail(error: Error) {
    failure ??= error
    found.reject(failure)
    file?.destroy(failure)
    void reader.cancel().catch(() => {})
  }
  function refuseExcess() {
    if (bytes - (file?.bytesRead ?? 0) > MAX_FORM_BYTES) throw malformed('It contains too much data besides the file.')
  }
  async function feed() {
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      bytes += read.value.length
      await new Promise<void>((resolve) => form.write(read.value, () => resolve()))
      // While the file is being read, some of its bytes are not counted as such yet.
      if (!file || file.readableEnded) refuseExcess()
    }
    form.end()
    if (!file) await finish()
  }
  /** To be called when all bytes of the form, and of the file, were read. */
  async function finish() {
    // All that the parser has left to do happens in this turn. It waits for ever for a part whose headers do not end.
    await setImmediate()
    if (failure) throw failure
    refuseExcess()
    if (!isComplete) throw malformed('The headers of a part do not end.')
    if (!file) throw malformed('It has no part called `file`.')
  }
  async function pull(controller: ReadableStreamDefaultController<Uint8Array>, chunks: AsyncIterator<Uint8Array>) {
    try {
      const { done, value } = await chunks.next()
      if (!done) return controller.enqueue(value)
      await fed
      await finish()
      controller.close()
    } catch (error) {
      fail(error as Error)
      throw failure
    }
  }

  form.on('file', (_, part, name, _encoding, type) => {
    file = part
    const chunks = part[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>
    const cancel = () => fail(new Error('Nobody reads the file any more.'))
    // Without a listener, an error after the last read would end the process.
    part.on('error', () => {})
    const stream = new ReadableStream({ pull: (to) => pull(to, chunks), cancel }, { highWaterMark: 0 })
    found.resolve({ name: name && decodeName(name), type, stream })
  })
  form.on('filesLimit', () => fail(malformed('It contains several files. Send one file in each request.')))
  form.on('error', () => fail(malformed('It ends too early.')))
  form.on('finish', () => {
    isComplete = true
  })
  const fed = feed()
  fed.catch(fail)
  return found.promise
}

export function openForm(contentType: string): BusboyInstance {
  if (!BOUNDARY.test(contentType))
    throw new Problem('malformed_request', 'The Content-Type multipart/form-data needs a boundary.')
  return new Busboy({
    headers: { 'content-type': contentType },
    isPartAFile: (name) => name === 'file',
    preservePath: true,
    // Longer headers would be cut off silently. But a form that has longer ones is refused as a whole.
    limits: { files: 1, fieldSize: 0, headerSize: MAX_FORM_BYTES },
  })
}

/** Browsers write a quotation mark in a name as `%22`, and line breaks as `%0D%0A`. */
const decodeName = (name: string) => name.replace(/%22/g, '"').replace(/%0D|%0A/gi, '')

const malformed = (detail: string) =>
  new Problem('malformed_request', `The form is not valid. ${detail}`, undefined, { Connection: 'close' })
