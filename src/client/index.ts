export type { CallOptions, ParleyOptions, SentRequest } from './calls'
export { Call, PageCall } from './calls'
export {
  AddressTooLongError,
  ApiError,
  AuthenticationError,
  BadRequestError,
  ConflictError,
  ConnectionError,
  GoneError,
  InvalidInputError,
  MethodNotAllowedError,
  NotFoundError,
  ParleyError,
  PermissionError,
  RangeNotSatisfiableError,
  RateLimitError,
  RequestTimeoutError,
  ServerError,
  SignatureError,
  StorageFullError,
  TimeoutError,
  TooLargeError,
  UnavailableError,
  UnsupportedMediaTypeError,
} from './errors'
export { Parley } from './parley'
export { toApiError } from './send'
export type { StreamOptions } from './stream'
export { type PingEvent, unwrapWebhook } from './webhooks'
