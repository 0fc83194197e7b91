import { type OperationName, operations } from '../contract'
import { Problem } from '../contract/errors'

export const BODY_LIMIT = 1024 * 1024

/** The body of a request, as the operation takes it. */
export function readBody(request: Request, name: OperationName): Promise<unknown> {
  const { file } = operations[name]
  return file ? readFile(request, file.types) : readJson(request)
}

async function readFile(request: Request, types: readonly string[]): Promise<Blob> {
  const type = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() ?? ''
  if (!types.includes(type))
    throw new Problem('unsupported_media_type', `Send the file itself, with its \`Content-Type\`: ${types.join(', ')}.`)
  return new Blob([(await readBytes(request)) as Uint8Array<ArrayBuffer>], { type })
}

/** The JSON of a request, or undefined where it has no body. */
export async function readJson(request: Request): Promise<unknown> {
  const bytes = await readBytes(request)
  if (bytes.length === 0) return undefined
  refuseOtherTypes(request.headers.get('content-type'))
  return parse(decode(bytes))
}

/** The bytes of a request, which are never too many. */
export async function readBytes(request: Request): Promise<Uint8Array> {
  const declared = request.headers.get('content-length')
  if (declared !== null && Number(declared) > BODY_LIMIT) throw tooLarge()
  if (!request.body) return new Uint8Array()
  try {
    return await (declared === null ? readLimited(request.body) : request.bytes())
  } catch (error) {
    if ((error as Error).name !== 'AbortError') throw error
    throw new Problem('malformed_request', 'The body ended before it was complete.')
  }
}

/** No length was said: reads no further than the limit. */
async function readLimited(body: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    if (size > BODY_LIMIT) throw tooLarge()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

const tooLarge = () =>
  new Problem('payload_too_large', `The body may have at most ${BODY_LIMIT} bytes (1 MiB).`, undefined, {
    Connection: 'close',
  })

function refuseOtherTypes(contentType: string | null) {
  const [type, ...parameters] = (contentType ?? '')
    .toLowerCase()
    .split(';')
    .map((part) => part.trim())
  const charset = parameters
    .find((parameter) => parameter.startsWith('charset='))
    ?.slice(8)
    .replaceAll('"', '')
  if (type === 'application/json' && (charset === undefined || charset === 'utf-8' || charset === 'utf8')) return
  throw new Problem(
    'unsupported_media_type',
    `Send the body as JSON with \`Content-Type: application/json\`, not ${contentType ? `\`${contentType.slice(0, 100)}\`` : 'without a type'}.`,
  )
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new Problem('malformed_request', 'The body is not UTF-8.')
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new Problem(
      'malformed_json',
      `The body could not be parsed: ${(error as Error).message.replace(/^JSON Parse error: /, '')}.`,
    )
  }
}
