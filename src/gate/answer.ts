import type { OperationName } from '../contract'
import type { RawInput } from './input'

export const JSON_TYPE = 'application/json'

/** What an entry point passes to the gate. */
export interface Call {
  name: OperationName
  token?: string
  /** The address with its query: part of what an ETag names. */
  url: string
  params: RawInput['params']
  /** The address after the question mark. */
  query?: string
  /** Read only once the caller is admitted. */
  readBody: () => Promise<unknown>
  wantsMarkdown?: boolean
  ifNoneMatch?: string
  idempotencyKey?: string
  /** The name of the program that acts for a member, such as an agent. Apps act for themselves. */
  via?: string
  acceptEncoding?: string
}

export interface Answer {
  status: number
  body: string | Uint8Array<ArrayBuffer> | Blob | ReadableStream<Uint8Array> | null
  contentType: string
  headers: Record<string, string>
  /** The body compressed, by content coding, where many get the same. */
  compressed?: Map<string, Uint8Array<ArrayBuffer>>
}
