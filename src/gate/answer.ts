import type { OperationName } from '../contract'
import type { PreviewSize } from '../contract/files'
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
  /** The length of the body, if the request states it. */
  bodyBytes?: number
  /** For the content of a file: which part of it is wanted, or whether only the headers are. */
  content?: Pick<ContentRequest, 'range' | 'ifRange' | 'isHead' | 'releaseWhile'>
  /** Lets other requests run while this one waits for its turn, or for what runs apart from them. */
  releaseWhile?: <T>(work: () => Promise<T>) => Promise<T>
  wantsMarkdown?: boolean
  ifNoneMatch?: string
  idempotencyKey?: string
  /** The name of the program that acts for a member, such as an agent. Apps act for themselves. */
  via?: string
  acceptEncoding?: string
}

/** Which part or preview of a file is wanted. */
export interface ContentRequest {
  size?: PreviewSize
  isDownload?: boolean
  /** Whether the method is HEAD, so that only the headers are wanted. */
  isHead?: boolean
  range?: string
  ifRange?: string
  ifNoneMatch?: string
  /** Lets other requests run while this one waits for the storage, or for a preview to be made. */
  releaseWhile?: <T>(work: () => Promise<T>) => Promise<T>
}

export interface Answer {
  status: number
  body: string | Uint8Array<ArrayBuffer> | Blob | ReadableStream<Uint8Array> | null
  contentType: string
  headers: Record<string, string>
  /** The body compressed, by content coding, where many get the same. */
  compressed?: Map<string, Uint8Array<ArrayBuffer>>
}
