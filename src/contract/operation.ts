import type { Static, TObject, TSchema } from 'typebox'
import type { ErrorCode } from './errors'

/** The scopes of a token. `write` includes `read`, `admin` includes both. */
export const scopes = ['read', 'write', 'admin'] as const
export type Scope = (typeof scopes)[number]

export interface Operation {
  method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  path: `/v2/${string}`
  summary: string
  description?: string
  /** What the caller needs: `public` is no token at all. There is no default. */
  access: 'public' | Scope
  /** The scope that the token needs, where it is more than `access`: for what everyone may do, but not every token. */
  tokenScope?: Scope
  params?: TObject
  query?: TObject
  body?: TObject
  /** The body is a file, not JSON: of one of these types. Its input is `file`. */
  file?: { types: readonly string[] }
  /** Left out: the answer is 204 with no body. */
  output?: TSchema
  /** Of the successful answer: 200, or 204 without output, unless said otherwise. */
  status?: 200 | 201
  /** What may go wrong beyond what may always go wrong (see `commonErrors`). */
  errors: readonly ErrorCode[]
  /** The record is also there as its Markdown source, with `Accept: text/markdown`. */
  markdown?: true
  /** The answer holds what no revision follows (when a token was last used), so it carries no ETag. */
  volatile?: true
  /** The answer shows a secret, so it is never stored for a replay. */
  secret?: true
}

/** States one promise. The types of its input and output follow from it. */
export const operation = <const O extends Operation>(definition: O): O => definition

type Part<S> = S extends TSchema ? Static<S> : unknown
type FilePart<F> = F extends { types: readonly string[] } ? { file: Blob } : unknown
type Flat<T> = { [K in keyof T]: T[K] }

/** The flat input of an operation: path, query and body together. */
export type InputOf<O extends Operation> = Flat<
  Part<O['params']> & Part<O['query']> & Part<O['body']> & FilePart<O['file']>
>
export type OutputOf<O extends Operation> = O['output'] extends TSchema ? Static<O['output']> : undefined

export const successStatus = (operation: Operation): number => operation.status ?? (operation.output ? 200 : 204)

/** The names of the `:params` of a path, in order. */
export const pathParams = (path: string): string[] => [...path.matchAll(/:(\w+)/g)].map((match) => match[1]!)

/** What may go wrong with this operation without it saying so. */
export function commonErrors(operation: Operation): ErrorCode[] {
  const common: ErrorCode[] = ['malformed_request', 'internal', 'unavailable']
  if (operation.access !== 'public')
    common.push('unauthenticated', 'insufficient_scope', 'rate_limited', 'invalid_input')
  if (operation.access === 'write' || operation.access === 'admin') common.push('forbidden')
  if (operation.body) common.push('malformed_json')
  if (operation.body || operation.file) common.push('request_timeout', 'payload_too_large', 'unsupported_media_type')
  if (operation.method === 'POST') {
    common.push('idempotency_in_progress', 'idempotency_key_reused')
    // What the first request made may be gone, or hidden from the caller, when it is replayed.
    common.push(operation.secret ? 'secret_already_shown' : 'not_found')
  }
  return common
}
