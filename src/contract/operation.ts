import type { Static, TObject, TSchema } from 'typebox'
import { PICTURE_TYPES } from './browser/file-facts'
import type { ErrorCode } from './errors'

/** The scopes of a token. `write` includes `read`, `admin` includes both. */
export const scopes = ['read', 'write', 'admin'] as const
export type Scope = (typeof scopes)[number]

/**
 * What the output of a read depends on, besides the request:
 *
 * - `content`: what others see too, such as posts. Callers who see the same get the same output, so they share cached responses.
 *   Nothing in it may be about the caller, and it has to be one record, or a page that says at which revision it was read.
 * - `caller`: the same for one caller.
 * - `personal`: also what only this caller sees, such as what they have read.
 * - `nothing`: what no revision tells, such as when a token was last used. There is no ETag, and nothing is cached.
 */
export type Dependence = 'content' | 'caller' | 'personal' | 'nothing'

interface Declared {
  path: `/v2/${string}`
  summary: string
  description?: string
  /** The permission that the caller needs; `public` needs no token. There is no default. */
  access: 'public' | Scope
  /** The scope that the token needs, if it is more than `access`: for what every role is allowed, but not every token. */
  tokenScope?: Scope
  params?: TObject
  query?: TObject
  body?: TObject
  /** The request body is a picture of one of these types, not JSON. In the input it is called `file`. */
  picture?: {
    types: readonly string[]
    /** The picture is stored as a square with this many pixels on each side. */
    pixels: number
  }
  /** The request body is a file of any type, which is stored while it arrives. In the input it is called `file`. */
  upload?: true
  /** The response body is the content of a file, which is sent while it is read. */
  download?: true
  /** If absent, the response is 204 without a body. */
  output?: TSchema
  /** The status of success. Default: 200, or 204 without output. */
  status?: 200 | 201
  /** Errors besides the common ones (see `commonErrors`). */
  errors: readonly ErrorCode[]
  /** The Markdown source is available with `Accept: text/markdown`. */
  markdown?: true
  /** It can take long, so it runs apart from other reads, one of each caller at a time, and for a limited time. */
  costly?: true
  /** The response contains a secret, so it is not stored for replays. */
  secret?: true
}

interface Read extends Declared {
  method: 'GET'
  effect?: undefined
  /** There is no default: what is cached for too long, or for others, is a leak. */
  depends: Dependence
  /**
   * When the output is about the caller after all, where it depends on content: for guests, who see only members they share
   * something with, and if one of these parameters is in the query.
   */
  perCaller?: { guests?: true; query?: readonly string[] }
}

interface Write extends Declared {
  method: 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  /**
   * What it may change, if not anything. `personal`: what the caller alone sees; all its events are personal. `adds`: it adds
   * content, and takes nothing away that someone sees, follows or may do. On PostgreSQL these two happen beside each other.
   */
  effect?: 'personal' | 'adds'
  depends?: undefined
  perCaller?: undefined
}

export type Operation = Read | Write

/** Declares an operation. Its input and output types are inferred. */
export const operation = <const O extends Operation>(definition: O): O => definition

/** A picture that is stored as a square with this many pixels on each side, enough for every size it is shown in. */
export const picture = (pixels: number) => ({ types: PICTURE_TYPES, pixels })

/** What can be uploaded. A `File` has a name already. */
export type Upload = Blob | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>

type Part<S> = S extends TSchema ? Static<S> : unknown
type PicturePart<P> = P extends object ? { file: Blob } : unknown
type UploadPart<U> = U extends true ? { file: Upload } : unknown
type Flat<T> = { [K in keyof T]: T[K] }

/** The flat input of an operation: path, query and body together. */
export type InputOf<O extends Operation> = Flat<
  Part<O['params']> & Part<O['query']> & Part<O['body']> & PicturePart<O['picture']> & UploadPart<O['upload']>
>
export type OutputOf<O extends Operation> = O['output'] extends TSchema
  ? Static<O['output']>
  : O['download'] extends true
    ? Response
    : undefined

export const successStatus = (operation: Operation): number =>
  operation.status ?? (operation.output || operation.download ? 200 : 204)

/** The names of the `:params` of a path, in order. */
export const pathParams = (path: string): string[] => [...path.matchAll(/:(\w+)/g)].map((match) => match[1]!)

/** The errors that an operation can have without declaring them. */
export function commonErrors(operation: Operation): ErrorCode[] {
  const common: ErrorCode[] = ['malformed_request', 'address_too_long', 'internal', 'unavailable']
  if (operation.access !== 'public')
    common.push('unauthenticated', 'insufficient_scope', 'rate_limited', 'invalid_input')
  if (operation.access === 'write' || operation.access === 'admin') common.push('forbidden')
  if (operation.body) common.push('malformed_json')
  if (operation.body || operation.picture || operation.upload)
    common.push('request_timeout', 'payload_too_large', 'unsupported_media_type')
  if (operation.method === 'POST') {
    common.push('idempotency_in_progress', 'idempotency_key_reused')
    // The record may have been deleted, or hidden from the caller, before a replay.
    common.push(operation.secret ? 'secret_already_shown' : 'not_found')
  }
  return common
}
