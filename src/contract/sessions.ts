import Type, { type Static } from 'typebox'
import { linkRoles } from './invite-links'
import { operation } from './operation'
import { Author, Body, Choice, Id, listQuery, Nullable, Page, Shape, Timestamp } from './shapes'

/** The data of session events. */
export const SessionNote = Shape(
  'SessionNote',
  { id: Id, name: Type.String(), member: Author },
  'Who signed in, and with which browser.',
)

/** The data of password events. */
export const AccountNote = Shape('AccountNote', { member: Author }, 'Whose password it is.')

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
    depends: 'nothing',
    summary: 'List the browsers you are signed in with.',
    description: 'Each record says when it was last used. Access tokens are not listed here.',
    access: 'read',
    tokenScope: 'admin',
    query: listQuery(['created_at'], 'asc', {}),
    output: Page(Session),
    errors: ['invalid_cursor'],
  }),
  delete: operation({
    method: 'DELETE',
    path: '/v2/me/sessions/:id',
    summary: 'Sign out a browser.',
    description: 'It takes effect at once: that browser has to sign in again.',
    access: 'read',
    tokenScope: 'admin',
    params: Type.Object({ id: Id }),
    errors: ['not_found'],
  }),
  deleteAll: operation({
    method: 'DELETE',
    path: '/v2/me/sessions',
    summary: 'Sign out everywhere.',
    description:
      'Signs out all your browsers, including this one, and revokes your sign-in link. Access tokens stay valid.',
    access: 'read',
    tokenScope: 'admin',
    errors: [],
  }),
}

/** The body of `POST /session`: the token of a sign-in link, or a password. */
export const SignIn = Type.Union([
  Body({ link: Type.String({ minLength: 1, maxLength: 200 }) }),
  Body({
    workspace: Type.Optional(Type.String({ maxLength: 200, description: 'Its slug, where there are several.' })),
    email: Type.String({ minLength: 1, maxLength: 254 }),
    password: Type.String({ minLength: 1, maxLength: 200 }),
  }),
])
export type SignIn = Static<typeof SignIn>

/** The body of `POST /session/link`. */
export const LinkRequest = Body({ link: Type.String({ minLength: 1, maxLength: 200 }) })

const SessionWorkspace = Shape('SessionWorkspace', { slug: Type.String(), name: Type.String() })

/** The response of `POST /session`. */
export const SignedIn = Shape('SignedIn', {
  member: Shape('SignedInMember', { id: Id, name: Type.String() }),
  workspace: SessionWorkspace,
  expires_at: Timestamp,
})
export type SignedIn = Static<typeof SignedIn>

/** The response of `POST /session/link`. */
export const LinkDetails = Shape('LinkDetails', {
  name: Type.String(),
  email: Type.String(),
  workspace: SessionWorkspace,
  expires_at: Timestamp,
})
export type LinkDetails = Static<typeof LinkDetails>

/** The response of `POST /session/token`. */
export const PageToken = Shape('PageToken', {
  token: Type.String(),
  member_id: Type.String({ description: 'Whose session it is.' }),
  expires_at: Timestamp,
  events_cursor: Type.String({ description: 'The end of the log: nothing read with the token is older.' }),
})
export type PageToken = Static<typeof PageToken>

/** The response of `GET /session/options`: what the sign-in page can offer. */
export const SignInOptions = Shape('SignInOptions', { is_mail_configured: Type.Boolean() })
export type SignInOptions = Static<typeof SignInOptions>

const LinkSecret = Type.String({ minLength: 1, maxLength: 200 })

/** The body of `POST /session/mail`. The response is the same whether there is such an account or not. */
export const MailRequest = Body({
  email: Type.String({ format: 'email', maxLength: 254 }),
  kind: Choice(['password_reset', 'sign_in_link']),
})

/** The body of `POST /session/invite`: the secret of an invite link, or the one that was mailed to who wants to join. */
export const InviteRequest = Body({ link: LinkSecret })

/** The response of `POST /session/invite`. */
export const InviteDetails = Shape('InviteDetails', {
  workspace: SessionWorkspace,
  icon_url: Nullable(Type.String()),
  role: Choice(linkRoles),
  email_domain: Nullable(Type.String()),
  email: Nullable(Type.String(), 'The address that is confirmed by the secret; null for that of the link.'),
  name: Nullable(Type.String(), 'What they may be called.'),
  is_mail_configured: Type.Boolean({ description: 'Whether the address is confirmed by a mail before anyone is in.' }),
})
export type InviteDetails = Static<typeof InviteDetails>

/**
 * The body of `POST /session/join`. With the secret of an invite link and an address, the response is 202 and a mail is sent, the
 * same whether there is such an account or not; without mail, and with a mailed secret, it is the one of `POST /session`.
 */
export const JoinBody = Body({
  link: LinkSecret,
  email: Type.Optional(Type.String({ minLength: 1, maxLength: 320 })),
  display_name: Type.Optional(Type.String({ minLength: 1, maxLength: 100, pattern: '\\S' })),
})

/** The body of `POST /session/password`: without a password, it only says whose it is. */
export const PasswordReset = Body({
  link: LinkSecret,
  password: Type.Optional(Type.String({ minLength: 8, maxLength: 200 })),
})

/** The response of `POST /session/password`. */
export const ResetDetails = Shape('ResetDetails', { email: Type.String() })
export type ResetDetails = Static<typeof ResetDetails>

/** The body of `POST /session/email`: unless it confirms, it only says what would change. */
export const EmailConfirmation = Body({ link: LinkSecret, confirm: Type.Optional(Type.Boolean()) })

/** The response of `POST /session/email`. */
export const EmailChangeDetails = Shape('EmailChangeDetails', {
  name: Type.String(),
  email: Type.String({ description: 'The new address.' }),
  workspace: SessionWorkspace,
})
export type EmailChangeDetails = Static<typeof EmailChangeDetails>
