import Type, { type Static } from 'typebox'
import { operation, scopes } from './operation'
import { Body, Choice, Id, listQuery, Nullable, Page, Shape, Timestamp } from './page'

const Scope = Choice(scopes)

const fields = {
  id: Id,
  name: Type.String(),
  scopes: Type.Array(Scope),
  created_at: Timestamp,
  expires_at: Nullable(Timestamp),
  last_used_at: Nullable(Timestamp),
}
export const Token = Shape('Token', fields, 'An access token, without its secret.')
export type Token = Static<typeof Token>
export const NewToken = Shape('NewToken', {
  ...fields,
  token: Type.String({ description: 'The secret. It is shown this once.' }),
})
export type NewToken = Static<typeof NewToken>

/** The body of a request for a token. */
export const TokenRequest = Body({
  scopes: Type.Array(Scope, { minItems: 1, maxItems: 3 }),
  name: Type.Optional(Type.String({ maxLength: 100 })),
  expires_at: Type.Optional(Type.String({ format: 'date-time', description: 'Left out: it does not expire.' })),
})

/** The maximum number of unexpired tokens of a member or an app. */
export const MAX_ACTIVE_TOKENS = 100

export const tokens = {
  listMine: operation({
    method: 'GET',
    path: '/v2/me/tokens',
    summary: 'List your own tokens.',
    description: 'Those that have no more scopes than the token you call with.',
    access: 'read',
    query: listQuery(['created_at'], 'asc', {}),
    output: Page(Token),
    errors: ['invalid_cursor'],
    volatile: true,
  }),
  createMine: operation({
    method: 'POST',
    path: '/v2/me/tokens',
    summary: 'Make a token for yourself.',
    description: `It cannot have more scopes than the token you call with. Of tokens that have not expired, you may have ${MAX_ACTIVE_TOKENS}.`,
    access: 'write',
    body: TokenRequest,
    output: NewToken,
    status: 201,
    errors: ['too_many_tokens'],
    secret: true,
  }),
  delete: operation({
    method: 'DELETE',
    path: '/v2/tokens/:id',
    summary: 'Revoke a token, at once.',
    description:
      'Admins revoke any token of the workspace, everyone else their own; but none that has more scopes than the token you call with.',
    access: 'read',
    params: Type.Object({ id: Id }),
    errors: ['not_found'],
  }),
}
