import Type, { type Static } from 'typebox'
import { operation } from './operation'
import { AvatarUrls, Body, Id, listQuery, Page, Shape, Timestamp } from './shapes'
import { MAX_ACTIVE_TOKENS, NewToken, Token, TokenRequest } from './tokens'

export const App = Shape('App', {
  id: Id,
  name: Type.String(),
  avatar_urls: AvatarUrls,
  created_at: Timestamp,
  updated_at: Timestamp,
})
export type App = Static<typeof App>

export const apps = {
  list: operation({
    method: 'GET',
    path: '/v2/apps',
    depends: 'content',
    perCaller: { guests: true },
    summary: 'List the apps of the workspace.',
    description:
      'Everyone sees the apps, so that they can mention them. Guests see those they share a channel or a thread with.',
    access: 'read',
    query: listQuery(['created_at'], 'asc', {
      q: Type.Optional(Type.String({ maxLength: 200, description: 'Part of the name.' })),
    }),
    output: Page(App),
    errors: ['invalid_cursor'],
  }),
  create: operation({
    method: 'POST',
    path: '/v2/apps',
    summary: 'Create an app.',
    description: 'An app writes under its own name. Create a token for it next, to call the API with.',
    access: 'admin',
    body: Body({ name: Type.String({ minLength: 1, maxLength: 100, pattern: '\\S' }) }),
    output: App,
    status: 201,
    errors: ['name_taken'],
  }),
  delete: operation({
    method: 'DELETE',
    path: '/v2/apps/:id',
    summary: 'Remove an app and revoke its tokens.',
    description: 'What it wrote stays, under its name.',
    access: 'admin',
    params: Type.Object({ id: Id }),
    errors: ['not_found'],
  }),
  listTokens: operation({
    method: 'GET',
    path: '/v2/apps/:id/tokens',
    depends: 'nothing',
    summary: 'List the tokens of an app.',
    description: 'Lists the tokens that have no more scopes than the one you call with, without their secrets.',
    access: 'admin',
    params: Type.Object({ id: Id }),
    query: listQuery(['created_at'], 'asc', {}),
    output: Page(Token),
    errors: ['not_found', 'invalid_cursor'],
  }),
  createToken: operation({
    method: 'POST',
    path: '/v2/apps/:id/tokens',
    summary: 'Create a token for an app.',
    description: `The secret is shown only this once. An app can have up to ${MAX_ACTIVE_TOKENS} tokens that have not expired.`,
    access: 'admin',
    params: Type.Object({ id: Id }),
    body: TokenRequest,
    output: NewToken,
    status: 201,
    errors: ['not_found', 'too_many_tokens'],
    secret: true,
  }),
}
