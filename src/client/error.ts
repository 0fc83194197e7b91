import type { ErrorCode, InputError, ProblemBody } from '../contract/errors'

/** An error response of the server. */
export class ParleyError extends Error {
  readonly code: ErrorCode
  readonly status: number
  readonly detail: string
  readonly errors: InputError[]
  readonly requestId: string
  /** With `event_gone` and `history_changed`: the event to resume after, once the records have been read again. */
  readonly resumeAfter: string | undefined

  constructor(
    problem: ProblemBody,
    readonly headers: Headers,
  ) {
    super(`${problem.code}: ${problem.detail}`)
    this.name = 'ParleyError'
    this.code = problem.code
    this.status = problem.status
    this.detail = problem.detail
    this.errors = problem.errors ?? []
    this.requestId = problem.request_id
    this.resumeAfter = problem.resume_after
  }
}
