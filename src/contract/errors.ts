import Type, { type Static } from 'typebox'
import { Choice } from './page'

/** Every error the service can answer with: its stable code, its status, and what it means in general. */
export const errors = {
  malformed_request: { status: 400, title: 'The request could not be read' },
  malformed_json: { status: 400, title: 'The body is not valid JSON' },
  unauthenticated: { status: 401, title: 'A valid access token is required' },
  invalid_credentials: { status: 401, title: 'The e-mail address or the password is wrong' },
  forbidden: { status: 403, title: 'You may not do this' },
  insufficient_scope: { status: 403, title: 'The token lacks a scope' },
  not_found: { status: 404, title: 'Not found' },
  method_not_allowed: { status: 405, title: 'Method not allowed' },
  request_timeout: { status: 408, title: 'The body took too long to arrive' },
  email_taken: { status: 409, title: 'The e-mail address is taken' },
  name_taken: { status: 409, title: 'The name is taken' },
  last_admin: { status: 409, title: 'A workspace needs an admin' },
  last_member: { status: 409, title: 'A private channel needs someone in it' },
  member_deactivated: { status: 409, title: 'The member is deactivated' },
  too_many_tokens: { status: 409, title: 'There are as many active tokens as there may be' },
  secret_key_missing: { status: 409, title: 'The server has no key to keep secrets with' },
  idempotency_in_progress: { status: 409, title: 'The first request with this key still runs' },
  secret_already_shown: { status: 409, title: 'A secret is shown only once' },
  event_gone: { status: 410, title: 'The log does not reach back so far' },
  history_changed: { status: 410, title: 'The history of the workspace has changed' },
  link_gone: { status: 410, title: 'The sign-in link does not work any more' },
  payload_too_large: { status: 413, title: 'The body is too large' },
  unsupported_media_type: { status: 415, title: 'The body is of another type than is taken here' },
  invalid_input: { status: 422, title: 'Some of the input is not valid' },
  workspace_required: { status: 422, title: 'Say which workspace' },
  invalid_cursor: { status: 422, title: 'The cursor is not valid here' },
  idempotency_key_reused: { status: 422, title: 'The key was used for another request' },
  rate_limited: { status: 429, title: 'Too many requests' },
  too_many_streams: { status: 429, title: 'Too many open streams' },
  internal: { status: 500, title: 'Something went wrong here' },
  unavailable: { status: 503, title: 'The service is not available right now' },
} as const

export type ErrorCode = keyof typeof errors

/** One thing that is wrong with the input, and where. */
export const InputError = Type.Object({
  in: Choice(['path', 'query', 'header', 'body']),
  name: Type.String({ description: 'The parameter or field, `a.b[0]` for nested ones; empty for the whole body.' }),
  message: Type.String(),
  choices: Type.Optional(Type.Array(Type.String(), { description: 'What would do, where that can be listed.' })),
})
export type InputError = Static<typeof InputError>

/** RFC 9457 problem details, the body of every error. */
export const ProblemBody = Type.Object(
  {
    type: Type.String({ description: 'A page that explains this kind of error.' }),
    title: Type.String(),
    status: Type.Integer(),
    detail: Type.String({ description: 'What was wrong this time, and what would be right.' }),
    instance: Type.String({ description: 'The path of the request.' }),
    code: Choice(Object.keys(errors) as ErrorCode[], { description: 'Stable; made for programs.' }),
    request_id: Type.String({ description: 'Also in the `X-Request-Id` header and in the log.' }),
    errors: Type.Optional(Type.Array(InputError, { description: 'With 422: each thing that is wrong.' })),
    resume_after: Type.Optional(
      Type.String({ description: 'With 410 of events: the id to continue after, once the records were read again.' }),
    ),
  },
  { title: 'Problem', additionalProperties: false },
)
export type ProblemBody = Static<typeof ProblemBody>

/** Thrown anywhere below a door; the door translates it once. */
export class Problem extends Error {
  constructor(
    readonly code: ErrorCode,
    readonly detail: string,
    readonly errors?: InputError[],
    readonly headers?: Record<string, string>,
    /** The event to continue after, where that is the way out. */
    readonly resumeAfter?: string,
  ) {
    super(`${code}: ${detail}`)
    this.name = 'Problem'
  }

  get status(): number {
    return errors[this.code].status
  }
}

/** A field of a JSON body that is understood but not valid. */
export const invalidField = (name: string, message: string) =>
  new Problem('invalid_input', `${name}: ${message}`, [{ in: 'body', name, message }])

export const notFound = (what: string) => new Problem('not_found', `There is no such ${what}, or you may not see it.`)
