export interface ParleyOptions {
  /** Where the server is: `https://parley.example.com`. */
  baseUrl: string
  token: string
  /** How often a request is repeated if it fails in a way that may pass. Default: 5. */
  retries?: number
  /** How long to wait for each response, in milliseconds. Default: 60,000. */
  timeout?: number
  /** Instead of the global `fetch`. */
  fetch?: typeof fetch
  /** Called for each request just before it is sent, repeated ones included. It may change the headers. */
  onRequest?: (request: SentRequest) => void | Promise<void>
  /** Called for each response, before its body is read. */
  onResponse?: (response: Response, request: SentRequest) => void | Promise<void>
}

export interface SentRequest {
  readonly url: string
  readonly method: string
  readonly headers: Headers
  readonly body?: string | Blob | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>
}

/** Options of a single call. */
export interface CallOptions {
  /** Requests with the same key and input are performed once. Without it, each POST that may be repeated gets a key of its own. */
  idempotencyKey?: string
  /** Ends the call. */
  signal?: AbortSignal
  timeout?: number
  retries?: number
}
