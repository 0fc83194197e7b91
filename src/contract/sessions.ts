import Type, { type Static } from 'typebox'
import { Author } from './authors'
import { operation } from './operation'
import { Body, Id, listQuery, Page, Shape, Timestamp } from './page'

/** A sign-in and its end, as the log tells it. */
export const SessionNote = Shape(
  'SessionNote',
  { id: Id, name: Type.String(), member: Author },
  'Who signed in, where.',
)

/** What changed about the ways in of a member. */
export const AccountNote = Shape('AccountNote', { member: Author }, 'Whose way in it is.')

export const Session = Shape(
  'Session',
  {
    id: Id,
    name: Type.String({ description: 'The browser and the system, as in “Firefox on Linux”.' }),
    created_at: Timestamp,
    last_used_at: Timestamp,
    expires_at: Timestamp,
    is_current: Type.Boolean({ description: 'Whether this request comes from it.' }),
  },
  'A browser that is signed in.',
)
export type Session = Static<typeof Session>

export const sessions = {
  list: operation({
    method: 'GET',
    path: '/v2/me/sessions',
    summary: 'List the browsers you are signed in with.',
    access: 'read',
    tokenScope: 'admin',
    query: listQuery(['created_at'], 'asc', {}),
    output: Page(Session),
    errors: ['invalid_cursor'],
    volatile: true,
  }),
  delete: operation({
    method: 'DELETE',
    path: '/v2/me/sessions/:id',
    summary: 'Sign a browser out, at once.',
    access: 'read',
    tokenScope: 'admin',
    params: Type.Object({ id: Id }),
    errors: ['not_found'],
  }),
  deleteAll: operation({
    method: 'DELETE',
    path: '/v2/me/sessions',
    summary: 'Sign out everywhere.',
    description: 'All your browsers, the one that asks too; and your sign-in link no longer works. Access tokens stay.',
    access: 'read',
    tokenScope: 'admin',
    errors: [],
  }),
}

/** What `POST /session` takes: a sign-in link's token, or a password. */
export const SignIn = Type.Union([
  Body({ link: Type.String({ minLength: 1, maxLength: 200 }) }),
  Body({
    workspace: Type.Optional(Type.String({ maxLength: 200, description: 'Its slug, where there are several.' })),
    email: Type.String({ minLength: 1, maxLength: 254 }),
    password: Type.String({ minLength: 1, maxLength: 200 }),
  }),
])
export type SignIn = Static<typeof SignIn>

/** What `POST /session/link` takes. */
export const LinkQuestion = Body({ link: Type.String({ minLength: 1, maxLength: 200 }) })

const SessionWorkspace = Shape('SessionWorkspace', { slug: Type.String(), name: Type.String() })

/** What `POST /session` answers. */
export const SignedIn = Shape('SignedIn', {
  member: Shape('SignedInMember', { id: Id, name: Type.String() }),
  workspace: SessionWorkspace,
  expires_at: Timestamp,
})
export type SignedIn = Static<typeof SignedIn>

/** What `POST /session/link` answers. */
export const LinkTold = Shape('LinkTold', {
  name: Type.String(),
  email: Type.String(),
  workspace: SessionWorkspace,
  expires_at: Timestamp,
})
export type LinkTold = Static<typeof LinkTold>

/** What `POST /session/token` answers. */
export const PageToken = Shape('PageToken', { token: Type.String(), expires_at: Timestamp })
export type PageToken = Static<typeof PageToken>
