import Type, { type Static } from 'typebox'
import { operation, scopes } from './operation'
import { Choice, Id, listQuery, Nullable, Page, Shape, Timestamp } from './shapes'

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
export const TokenRequest = Type.Object(
  {
    scopes: Type.Array(Scope, { minItems: 1, maxItems: 3 }),
    name: Type.Optional(Type.String({ maxLength: 100 })),
    expires_at: Type.Optional(Type.String({ format: 'date-time', description: 'Left out: it does not expire.' })),
  },
  { title: 'CreateToken', additionalProperties: false },
)

/** The maximum number of unexpired tokens of a member or an app. */
export const MAX_ACTIVE_TOKENS = 100

export const tokens = {
  listMine: operation({
    method: 'GET',
    path: '/v2/me/tokens',
    depends: 'nothing',
    summary: 'List your own tokens.',
    description:
      'Lists the tokens that have no more scopes than the one you call with. Their secrets are not shown again.',
    access: 'read',
    query: listQuery(['created_at'], 'asc', {}),
    output: Page(Token),
    errors: ['invalid_cursor'],
  }),
  createMine: operation({
    method: 'POST',
    path: '/v2/me/tokens',
    summary: 'Create a token for yourself.',
    description: `It cannot have more scopes than the token you call with. The secret is shown only this once. You can have up to ${MAX_ACTIVE_TOKENS} tokens that have not expired.`,
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
    summary: 'Revoke a token.',
    description:
      'It takes effect at once. You can revoke your own tokens, and as an admin any token of the workspace, but none that has more scopes than the one you call with.',
    access: 'read',
    params: Type.Object({ id: Id }),
    errors: ['not_found'],
  }),
}
