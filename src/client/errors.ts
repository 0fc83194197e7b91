import type { ErrorCode, InputError, ProblemBody } from '../contract/errors'

/** Any error that a call can end with. */
export class ParleyError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = classNames.get(new.target) ?? 'ParleyError'
  }
}

/** There was no response: the server could not be reached, or the connection was lost. */
export class ConnectionError extends ParleyError {}

/** There was no response within the time-out. */
export class TimeoutError extends ConnectionError {}

/** A webhook whose signature is wrong, or that is too old. */
export class SignatureError extends ParleyError {}

/** The server responded with an error. Each status has a class of its own. */
export class ApiError extends ParleyError {
  /** Stable, and the same in every version; `unexpected_response` if it was not Parley that responded. */
  readonly code: ErrorCode | 'unexpected_response' | (string & {})
  /** What went wrong in this case, and how to fix it. */
  readonly detail: string
  /** With status 422: every invalid part of the input. */
  readonly errors: InputError[]
  /** Names the request in the log of the server. */
  readonly requestId: string | undefined
  /** With `event_gone` and `history_changed`: the event to continue after, once the records have been read again. */
  readonly resumeAfter: string | undefined

  constructor(
    readonly status: number,
    readonly headers: Headers,
    /** The response as it was sent. */
    readonly body: string,
  ) {
    const {
      code = 'unexpected_response',
      detail = describeUnexpected(status, headers),
      errors,
      request_id = headers.get('x-request-id') ?? undefined,
      resume_after,
    } = parseProblem(body)
    super(`${code}: ${detail}`)
    this.code = code
    this.detail = detail
    this.errors = Array.isArray(errors) ? errors : []
    this.requestId = request_id
    this.resumeAfter = resume_after
  }
}

/** 400 */
export class BadRequestError extends ApiError {}
/** 401: the token is missing, unknown, expired or revoked. */
export class AuthenticationError extends ApiError {}
/** 403: you may see it, but not do this. */
export class PermissionError extends ApiError {}
/** 404: there is no such record, or you may not see it. */
export class NotFoundError extends ApiError {}
/** 405 */
export class MethodNotAllowedError extends ApiError {}
/** 408: the server waited too long for the request. */
export class RequestTimeoutError extends ApiError {}
/** 409 */
export class ConflictError extends ApiError {}
/** 410 */
export class GoneError extends ApiError {}
/** 413 */
export class TooLargeError extends ApiError {}
/** 415 */
export class UnsupportedMediaTypeError extends ApiError {}
/** 416: the file has no such range. */
export class RangeNotSatisfiableError extends ApiError {}
/** 422: `errors` lists every invalid part of the input. */
export class InvalidInputError extends ApiError {}
/** 429: too many requests, or too many open streams. */
export class RateLimitError extends ApiError {}
/** 431: the address of the request is too long. */
export class AddressTooLongError extends ApiError {}
/** 500 and above */
export class ServerError extends ApiError {}
/** 503: the server is overloaded, or cannot reach its database. */
export class UnavailableError extends ServerError {}
/** 507: the disk of the server is almost full. */
export class StorageFullError extends ServerError {}

/** The class of each status; all others are `ApiError` or, from 500 on, `ServerError`. */
export const classes: Record<number, typeof ApiError> = {
  400: BadRequestError,
  401: AuthenticationError,
  403: PermissionError,
  404: NotFoundError,
  405: MethodNotAllowedError,
  408: RequestTimeoutError,
  409: ConflictError,
  410: GoneError,
  413: TooLargeError,
  415: UnsupportedMediaTypeError,
  416: RangeNotSatisfiableError,
  422: InvalidInputError,
  429: RateLimitError,
  431: AddressTooLongError,
  503: UnavailableError,
  507: StorageFullError,
}

/** The names as strings: minifiers change the names of classes. */
const classNames = new Map<unknown, string>(
  Object.entries({
    ConnectionError,
    TimeoutError,
    SignatureError,
    ApiError,
    BadRequestError,
    AuthenticationError,
    PermissionError,
    NotFoundError,
    MethodNotAllowedError,
    RequestTimeoutError,
    ConflictError,
    GoneError,
    TooLargeError,
    UnsupportedMediaTypeError,
    RangeNotSatisfiableError,
    InvalidInputError,
    RateLimitError,
    AddressTooLongError,
    ServerError,
    UnavailableError,
    StorageFullError,
  }).map(([name, Class]) => [Class, name]),
)

/** A proxy in between may respond with a page of its own. */
function parseProblem(body: string): Partial<ProblemBody> {
  try {
    const problem = JSON.parse(body)
    return typeof problem.code === 'string' && typeof problem.detail === 'string' ? problem : {}
  } catch {
    return {}
  }
}

/** What is wrong with a response that Parley did not send. */
const describeUnexpected = (status: number, headers: Headers) =>
  // In browsers, a redirection has status 0.
  status === 0 || headers.has('location')
    ? `The server redirects to ${headers.get('location') ?? 'another address'}. Change \`baseUrl\`.`
    : `The response with status ${status} is not from Parley. Check \`baseUrl\`.`
