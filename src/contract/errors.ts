import Type, { type Static } from 'typebox'
import { Choice } from './shapes'

/** Every error of the API: its stable code, its status, and its title. */
export const errors = {
  malformed_request: { status: 400, title: 'Malformed request' },
  malformed_json: { status: 400, title: 'The request body is not valid JSON' },
  unauthenticated: { status: 401, title: 'A valid access token is required' },
  invalid_credentials: { status: 401, title: 'Wrong e-mail or password' },
  forbidden: { status: 403, title: 'You do not have permission to do this' },
  insufficient_scope: { status: 403, title: 'The access token lacks a required scope' },
  not_found: { status: 404, title: 'Not found' },
  method_not_allowed: { status: 405, title: 'Method not allowed' },
  request_timeout: { status: 408, title: 'The request took too long' },
  email_taken: { status: 409, title: 'The e-mail address is already in use' },
  name_taken: { status: 409, title: 'The name is already in use' },
  last_admin: { status: 409, title: 'A workspace needs at least one admin' },
  last_member: { status: 409, title: 'The last member cannot leave' },
  direct_thread: { status: 409, title: 'Nobody can be added to or removed from a direct message' },
  too_many_members: { status: 409, title: 'Too many members' },
  already_resolved: { status: 409, title: 'The post is already resolved' },
  checklist_changed: { status: 409, title: 'The checklist has changed' },
  member_deactivated: { status: 409, title: 'The member is deactivated' },
  too_many_channels: { status: 409, title: 'Too many channels' },
  too_many_groups: { status: 409, title: 'Too many groups' },
  too_many_mentions: { status: 409, title: 'Too many mentions of groups or whole channels' },
  too_many_tokens: { status: 409, title: 'Too many active tokens' },
  too_many_invite_links: { status: 409, title: 'Too many invite links' },
  too_many_pins: { status: 409, title: 'Too many pinned posts' },
  too_many_saved: { status: 409, title: 'Too many saved posts' },
  too_many_hooks: { status: 409, title: 'Too many incoming webhooks' },
  too_many_drafts: { status: 409, title: 'Too many drafts' },
  draft_changed: { status: 409, title: 'The draft has changed' },
  too_many_reactions: { status: 409, title: 'Too many different reactions' },
  too_many_emoji: { status: 409, title: 'Too many custom emoji' },
  mail_not_configured: { status: 409, title: 'E-mail is not set up on this server' },
  secret_key_missing: { status: 409, title: 'The server has no key to encrypt secrets with' },
  idempotency_in_progress: { status: 409, title: 'A request with this idempotency key is still in progress' },
  secret_already_shown: { status: 409, title: 'The secret has already been shown' },
  event_gone: { status: 410, title: 'The event is no longer in the log' },
  history_changed: { status: 410, title: 'The history of the workspace has changed' },
  link_gone: { status: 410, title: 'The link has expired or was already used' },
  payload_too_large: { status: 413, title: 'The request body is too large' },
  quota_exceeded: { status: 413, title: 'Not enough space for the file' },
  unsupported_media_type: { status: 415, title: 'Unsupported content type' },
  range_not_satisfiable: { status: 416, title: 'The file does not have this range' },
  invalid_input: { status: 422, title: 'The input is not valid' },
  invalid_file: { status: 422, title: 'The file cannot be accepted' },
  workspace_required: { status: 422, title: 'Choose a workspace' },
  invalid_cursor: { status: 422, title: 'The cursor is not valid' },
  search_too_expensive: { status: 422, title: 'The search takes too long' },
  idempotency_key_reused: { status: 422, title: 'The idempotency key was used for a different request' },
  rate_limited: { status: 429, title: 'Too many requests' },
  too_many_streams: { status: 429, title: 'Too many open streams' },
  address_too_long: { status: 431, title: 'The address of the request is too long' },
  internal: { status: 500, title: 'Internal server error' },
  unavailable: { status: 503, title: 'The service is temporarily unavailable' },
  storage_unavailable: { status: 503, title: 'Files cannot be stored or read at the moment' },
  storage_full: { status: 507, title: 'The disk of the server is almost full' },
} as const

export type ErrorCode = keyof typeof errors

/** One invalid part of the input. */
export const InputError = Type.Object({
  in: Choice(['path', 'query', 'header', 'body']),
  name: Type.String({ description: 'The parameter or field, `a.b[0]` for nested ones; empty for the whole body.' }),
  message: Type.String(),
  choices: Type.Optional(Type.Array(Type.String(), { description: 'The valid values, if they can be listed.' })),
})
export type InputError = Static<typeof InputError>

/** RFC 9457 problem details, the body of every error. */
export const ProblemBody = Type.Object(
  {
    type: Type.String({ description: 'The address of a page about this kind of error.' }),
    title: Type.String(),
    status: Type.Integer(),
    detail: Type.String({ description: 'What went wrong in this case, and how to fix it.' }),
    instance: Type.String({ description: 'The path of the request.' }),
    code: Choice(Object.keys(errors) as ErrorCode[], { description: 'Stable and machine-readable.' }),
    request_id: Type.String({ description: 'Also in the `X-Request-Id` header and in the log.' }),
    errors: Type.Optional(Type.Array(InputError, { description: 'With 422: every invalid part of the input.' })),
    resume_after: Type.Optional(
      Type.String({
        description: 'With 410 from events: the id to continue after, once you have read the records again.',
      }),
    ),
  },
  { title: 'Problem', additionalProperties: false },
)
export type ProblemBody = Static<typeof ProblemBody>

/** Thrown anywhere in the service; each entry point translates it in one place. */
export class Problem extends Error {
  constructor(
    readonly code: ErrorCode,
    readonly detail: string,
    readonly errors?: InputError[],
    readonly headers?: Record<string, string>,
    /** The event to continue after, if that resolves the problem. */
    readonly resumeAfter?: string,
  ) {
    super(`${code}: ${detail}`)
    this.name = 'Problem'
  }

  get status(): number {
    return errors[this.code].status
  }
}

/** An invalid field of a JSON body. */
export const invalidField = (name: string, message: string) =>
  new Problem('invalid_input', `${name}: ${message}`, [{ in: 'body', name, message }])

/** An invalid parameter of a query. */
export const invalidQuery = (name: string, message: string) =>
  new Problem('invalid_input', `${name}: ${message}`, [{ in: 'query', name, message }])

export const notFound = (what: string) =>
  new Problem('not_found', `There is no such ${what}, or you do not have access to it.`)
