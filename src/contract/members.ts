import Type, { type Static } from 'typebox'
import { AvatarUrls } from './authors'
import { operation } from './operation'
import { Body, Choice, Id, listQuery, Page, Shape, Timestamp } from './page'
import { Profile } from './profiles'

export const roles = ['admin', 'member', 'viewer', 'guest'] as const
export type Role = (typeof roles)[number]
export const Role = Choice(roles)

export const Member = Shape('Member', {
  id: Id,
  role: Role,
  created_at: Timestamp,
  is_deactivated: Type.Boolean(),
  user: Shape('User', { id: Id, avatar_urls: AvatarUrls, email: Type.String(), display_name: Type.String() }),
})
export type Member = Static<typeof Member>

export const DisplayName = Type.String({ minLength: 1, maxLength: 100, pattern: '\\S' })

export const SignInLink = Shape('SignInLink', {
  id: Id,
  url: Type.String({ description: 'It is shown this once.' }),
  expires_at: Timestamp,
})
export type SignInLink = Static<typeof SignInLink>

export const members = {
  list: operation({
    method: 'GET',
    path: '/v2/members',
    summary: 'List the members of the workspace.',
    access: 'read',
    query: listQuery(['created_at', 'last_seen_at'], 'asc', {
      q: Type.Optional(Type.String({ maxLength: 200, description: 'Part of the name or e-mail address.' })),
      roles: Type.Optional(
        Type.Array(Role, { description: 'Only these roles; several are separated by commas, or repeated.' }),
      ),
    }),
    output: Page(Member),
    errors: ['invalid_cursor'],
  }),
  get: operation({
    method: 'GET',
    path: '/v2/members/:id',
    summary: 'Get a member.',
    access: 'read',
    params: Type.Object({ id: Id }),
    output: Member,
    errors: ['not_found'],
  }),
  getProfile: operation({
    method: 'GET',
    path: '/v2/members/:member_id/profile',
    summary: 'Get what a member says about themselves: job title and time zone.',
    access: 'read',
    params: Type.Object({ member_id: Id }),
    output: Profile,
    errors: ['not_found'],
  }),
  create: operation({
    method: 'POST',
    path: '/v2/members',
    summary: 'Invite a member.',
    access: 'admin',
    body: Body({
      email: Type.String({ format: 'email', maxLength: 254 }),
      display_name: DisplayName,
      role: Role,
    }),
    output: Member,
    status: 201,
    errors: ['email_taken'],
  }),
  update: operation({
    method: 'PATCH',
    path: '/v2/members/:id',
    summary: 'Change the role or name of a member, deactivate or reactivate.',
    description:
      'The last active admin can be neither demoted nor deactivated. Deactivating ends the sessions, tokens and sign-in link of the member for good: reactivating brings none of them back.',
    access: 'admin',
    params: Type.Object({ id: Id }),
    body: Body({
      role: Type.Optional(Role),
      is_deactivated: Type.Optional(Type.Boolean()),
      display_name: Type.Optional(DisplayName),
    }),
    output: Member,
    errors: ['not_found', 'last_admin'],
  }),
  createSignInLink: operation({
    method: 'POST',
    path: '/v2/members/:member_id/sign-in-link',
    summary: 'Make a link that signs a member in, once, within a week.',
    description:
      'For inviting, and for who has lost their way in. Whoever has the link is that member: send it to no one else. The link made before it no longer works. Apps make none.',
    access: 'admin',
    params: Type.Object({ member_id: Id }),
    output: SignInLink,
    status: 201,
    errors: ['not_found', 'member_deactivated'],
    secret: true,
  }),
  sendInvitation: operation({
    method: 'POST',
    path: '/v2/members/:member_id/invitation',
    summary: 'Send a member the invitation by e-mail again.',
    description:
      'It contains a link that signs them in, once, within a week. New members get one by themselves, if e-mail is set up on the server.',
    access: 'admin',
    params: Type.Object({ member_id: Id }),
    errors: ['not_found', 'member_deactivated', 'mail_not_configured'],
  }),
}
