import { type OperationName, operations } from '../contract'
import { Problem } from '../contract/errors'
import type { Bodies } from './bodies'

/** The body of a request, as the operation takes it. */
export function readBody(bodies: Bodies, request: Request, name: OperationName): Promise<unknown> {
  const { file } = operations[name]
  return file ? readFile(bodies, request, file.types) : readJson(bodies, request)
}

async function readFile(bodies: Bodies, request: Request, types: readonly string[]): Promise<Blob> {
  const type = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() ?? ''
  if (!types.includes(type))
    throw new Problem('unsupported_media_type', `Send the file itself, with its \`Content-Type\`: ${types.join(', ')}.`)
  return new Blob([(await bodies.read(request)) as Uint8Array<ArrayBuffer>], { type })
}

/** The JSON of a request, or undefined where it has no body. */
export async function readJson(bodies: Bodies, request: Request, most?: number): Promise<unknown> {
  const bytes = await bodies.read(request, most)
  if (bytes.length === 0) return undefined
  refuseOtherTypes(request.headers.get('content-type'))
  return parse(decode(bytes))
}

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
  throw new Problem('unsupported_media_type', 'Send the body as JSON in UTF-8, with `Content-Type: application/json`.')
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
    throw new Problem('malformed_json', `The body could not be parsed: ${reasonOf(error as Error)}.`)
  }
}

/** Without what it quotes: in the place of a missing quotation mark, that may be a password. */
const reasonOf = ({ message }: Error) => message.replace(/^JSON Parse error: /, '').replace(/ ".*"/s, '')
