import { Problem } from '../../contract/errors'
import type { Bodies } from './bodies'

export type { Bodies }

/** The parsed JSON body of a request; undefined if it has no body. */
export async function readJson(bodies: Bodies, request: Request, maxBytes?: number): Promise<unknown> {
  const bytes = await bodies.read(request, maxBytes)
  if (bytes.length === 0) return undefined
  requireJson(request.headers.get('content-type'))
  return parse(decodeBody(bytes))
}

function requireJson(contentType: string | null) {
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

export function decodeBody(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new Problem('malformed_request', 'The request body is not valid UTF-8.')
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new Problem('malformed_json', `The request body is not valid JSON: ${reasonOf(error as Error)}.`)
  }
}

/** Without the text it quotes, which may be part of a password. */
const reasonOf = ({ message }: Error) => message.replace(/^JSON Parse error: /, '').replace(/ ".*"/s, '')
