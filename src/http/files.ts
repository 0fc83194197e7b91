import { setImmediate } from 'node:timers/promises'
import { Busboy, type BusboyFileStream, type BusboyInstance } from '@fastify/busboy'
import type { Server } from 'bun'
import { notFound, Problem } from '../contract/errors'
import { previewNames } from '../contract/files'
import type { Answer } from '../gate/call'
import { downloadForSession } from '../gate/files/content'
import { type IncomingFile, MAX_FORM_BYTES } from '../gate/files/pictures'
import { validInput } from '../gate/input'
import type { Parley } from '../gate/parley'
import { tooSlow } from './body'
import { handleWithin } from './load-shedding/handle'
import type { ConcurrencyLimit } from './load-shedding/limit'
import { type HttpContext, respond } from './respond'
import { sessionOf } from './session/cookie'
import { appPage, isNavigation } from './web/routes'

type RoutedRequest = Request & { params: Record<string, string> }
type Handler = (request: RoutedRequest, server: Server<undefined>) => Response | Promise<Response>

/** `/files/{id}` and `/files/{id}/{size or download}`: the content of files, for browsers that are signed in. */
export function fileRoutes(http: HttpContext): Record<string, Handler> {
  const handler: Handler = (request, server) =>
    handleWithin(http.loadShedding.read, http, request, 'file', async (limit) => {
      if (isNavigation(request) && !sessionOf(request, http.isSecure)) return appPage(http, request, 401)
      const response = await respond(http, request, server, 'file', (parley) =>
        answerFile(http, parley, request, limit),
      )
      response.headers.delete('Access-Control-Allow-Origin')
      response.headers.delete('Access-Control-Expose-Headers')
      response.headers.set('Vary', 'Cookie')
      return response
    })
  return { '/files/:id': handler, '/files/:id/:form': handler }
}

async function answerFile(
  http: HttpContext,
  parley: Parley,
  request: RoutedRequest,
  limit: ConcurrencyLimit | undefined,
): Promise<Answer> {
  const { form } = request.params as { form?: string }
  const params = { id: request.params.id! }
  const { id } = validInput('files.content', { params, query: undefined, body: undefined }) as typeof params
  const size = previewNames.find((name) => name === form)
  if (form !== undefined && form !== 'download' && !size) throw notFound('file')
  const secret = sessionOf(request, http.isSecure)
  const { headers, method } = request
  return downloadForSession(parley, secret, id, {
    size,
    isDownload: form === 'download',
    isHead: method === 'HEAD',
    range: headers.get('range') ?? undefined,
    ifRange: headers.get('if-range') ?? undefined,
    ifNoneMatch: headers.get('if-none-match') ?? undefined,
    releaseWhile: limit?.releaseWhile,
  })
}

/**
 * The file in a request: its body, or the part `file` of a form. If the operation allows only some types, the file must be the
 * body, and its `Content-Type` one of these types.
 */
export async function receiveFile(request: Request, types?: readonly string[]): Promise<IncomingFile> {
  const header = request.headers.get('content-type') ?? ''
  const type = header.split(';')[0]!.trim().toLowerCase()
  if (types && !types.includes(type))
    throw new Problem(
      'unsupported_media_type',
      `Send the file as the request body, with one of these content types: ${types.join(', ')}.`,
    )
  const form = type === 'multipart/form-data' ? openForm(header) : undefined
  const body = watchRate(request.body ?? new Blob([]).stream())
  return form ? readForm(form, body) : { name: undefined, type: type || undefined, stream: body }
}

/** The parser takes a whole slice at once, and makes a stream of each part. */
const SLICE_BYTES = 16 * 1024
const MAX_PARTS = 100

const BOUNDARY = /;\s*boundary=(?:"[^"]{1,70}"|[^\s;"]{1,70})/i

/**
 * Finds the part `file` of a form (RFC 7578) and returns it as a stream, so that only a few chunks are in memory. Other parts are
 * skipped. The stream fails if the form is not complete, so that half a file is never taken for a whole one.
 */
function readForm(form: BusboyInstance, body: ReadableStream<Uint8Array>): Promise<IncomingFile> {
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
      for (let at = 0; at < read.value.length; at += SLICE_BYTES) {
        const slice = read.value.subarray(at, at + SLICE_BYTES)
        bytes += slice.length
        await new Promise<void>((resolve) => form.write(slice, () => resolve()))
        if (failure) throw failure
        // While the file is being read, some of its bytes are not counted as such yet.
        if (!file || file.readableEnded) refuseExcess()
      }
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
  form.on('partsLimit', () => fail(malformed('It has too many parts.')))
  form.on('error', () => fail(malformed('It ends too early.')))
  form.on('finish', () => {
    isComplete = true
  })
  const fed = feed()
  fed.catch(fail)
  return found.promise
}

function openForm(contentType: string): BusboyInstance {
  const noBoundary = new Problem('malformed_request', 'The Content-Type multipart/form-data needs a boundary.')
  if (!BOUNDARY.test(contentType)) throw noBoundary
  try {
    return newParser(contentType)
  } catch {
    // It reads the header in its own way, and refuses boundaries of more than 252 characters.
    throw noBoundary
  }
}

const newParser = (contentType: string) =>
  new Busboy({
    headers: { 'content-type': contentType },
    isPartAFile: (name) => name === 'file',
    preservePath: true,
    // Longer headers would be cut off silently. But a form that has longer ones is refused as a whole.
    limits: { files: 1, parts: MAX_PARTS, fieldSize: 0, headerSize: MAX_FORM_BYTES },
  })

/** Browsers write a quotation mark in a name as `%22`, and line breaks as `%0D%0A`. */
const decodeName = (name: string) => name.replace(/%22/g, '"').replace(/%0D|%0A/gi, '')

const malformed = (detail: string) =>
  new Problem('malformed_request', `The form is not valid. ${detail}`, undefined, { Connection: 'close' })

const TICK_MS = 1_000
const WINDOW_TICKS = 20
const BYTES_PER_WINDOW = 64 * 1024

/**
 * A body that fails if it arrives too slowly. There is no deadline for the whole body, because files can be large. Only the ticks
 * in which the server waits for bytes are counted, so that the client is not blamed for a slow disk or a busy server.
 */
export function watchRate(
  body: ReadableStream<Uint8Array>,
  { tickMs = TICK_MS, windowTicks = WINDOW_TICKS, bytesPerWindow = BYTES_PER_WINDOW } = {},
): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  let isWaiting = false
  let ticks = 0
  let bytes = 0
  let fail: ((error: Problem) => void) | undefined
  // One timer for the whole body: a timer for each read would never fire while bytes arrive one by one.
  const timer = setInterval(() => {
    if (!isWaiting || ++ticks < windowTicks) return
    if (bytes < bytesPerWindow) fail?.(tooSlow())
    ticks = 0
    bytes = 0
  }, tickMs)
  const stop = () => clearInterval(timer)

  async function readInTime() {
    const late = Promise.withResolvers<never>()
    fail = late.reject
    isWaiting = true
    try {
      return await Promise.race([reader.read(), late.promise])
    } catch (error) {
      if (error instanceof Problem) throw error
      throw new Problem('malformed_request', 'The connection ended before the request body was complete.')
    } finally {
      isWaiting = false
    }
  }

  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await readInTime()
          if (done) {
            stop()
            return controller.close()
          }
          bytes += value.length
          controller.enqueue(value)
        } catch (error) {
          stop()
          void reader.cancel().catch(() => {})
          throw error
        }
      },
      cancel(reason) {
        stop()
        return reader.cancel(reason)
      },
    },
    { highWaterMark: 0 },
  )
}
