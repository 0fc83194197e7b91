/** What a call returned, with the response and its headers. */
export interface Answered<T> {
  data: T
  response: Response
}

/** The promise of what a call returns. */
export class Call<T> extends Promise<T> {
  readonly #answered: Promise<Answered<T>>

  /** Calls are made by the methods of `Parley`. */
  constructor(answered: Promise<Answered<T>>) {
    // `resolve` is passed on as it is: through another function, stack traces of errors would not reach the caller.
    super((resolve, reject) => answered.then(({ data }) => data).then(resolve, reject))
    this.#answered = answered
  }

  /** `then` and `catch` return ordinary promises. */
  static override get [Symbol.species]() {
    return Promise
  }

  /** The same, with the response and its headers. */
  withResponse(): Promise<Answered<T>> {
    // The caller gets an error from the response. This promise, which nobody awaits, must not report it again.
    this.catch(() => {})
    return this.#answered
  }
}

/** What every page of records has. */
export interface AnyPage<R> {
  data: R[]
  next_cursor: string | null
  /** Only in the log, whose cursor is never null. */
  has_more?: boolean
}

/** The promise of one page. Iterated, it yields every record from there on, and loads each page when it is needed. */
export class PageCall<P extends AnyPage<R>, R = P['data'][number]> extends Call<P> implements AsyncIterable<R> {
  readonly #next: (after: string) => Promise<P>

  constructor(answered: Promise<Answered<P>>, next: (after: string) => Promise<P>) {
    super(answered)
    this.#next = next
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<R, void, void> {
    let page: P = await this
    for (;;) {
      yield* page.data as R[]
      if (page.next_cursor === null || page.has_more === false) return
      page = await this.#next(page.next_cursor)
    }
  }
}

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
