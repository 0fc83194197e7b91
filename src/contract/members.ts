import Type, { type Static } from 'typebox'
import { operation } from './operation'
import { AvatarUrls, Body, Choice, Id, listQuery, Nullable, Page, Shape, Timestamp } from './shapes'

export const Profile = Shape('Profile', {
  member_id: Id,
  job_title: Nullable(Type.String()),
  time_zone: Nullable(Type.String(), 'A name of the IANA database, such as `Europe/Berlin`.'),
  joined_at: Timestamp,
})
export type Profile = Static<typeof Profile>

/** What members can change of their own profile. */
export const profileFields = {
  job_title: Type.Optional(Type.String({ maxLength: 100 })),
  time_zone: Type.Optional(Type.String({ maxLength: 100, description: 'A name of the IANA database.' })),
}

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
    depends: 'content',
    perCaller: { guests: true },
    summary: 'List the members of the workspace.',
    description: 'Deactivated members are listed too. Guests see the members they share a channel or a thread with.',
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
    depends: 'content',
    perCaller: { guests: true },
    summary: 'Get a member.',
    description: 'Use `GET /v2/me` to find out who you are.',
    access: 'read',
    params: Type.Object({ id: Id }),
    output: Member,
    errors: ['not_found'],
  }),
  getProfile: operation({
    method: 'GET',
    path: '/v2/members/:member_id/profile',
    depends: 'content',
    perCaller: { guests: true },
    summary: 'Get the profile of a member: job title and time zone.',
    description: 'Members fill it in themselves, so both may be empty.',
    access: 'read',
    params: Type.Object({ member_id: Id }),
    output: Profile,
    errors: ['not_found'],
  }),
  create: operation({
    method: 'POST',
    path: '/v2/members',
    summary: 'Invite a member.',
    description:
      'If e-mail is set up on the server, they get an invitation. Otherwise, create a sign-in link and send it to them yourself.',
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
    summary: 'Change the role or name of a member; deactivate or reactivate them.',
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
    summary: 'Create a link that signs a member in.',
    description:
      'It works once, within a week, and replaces the link created before it. Use it to invite someone, or to help someone who cannot sign in. Whoever has the link can sign in as that member, so send it to nobody else. Apps cannot create such links.',
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
    summary: 'Send a member the invitation again, by e-mail.',
    description:
      'It contains a link that signs them in, once, within a week. If e-mail is set up on the server, new members get an invitation automatically. A member can be sent 3 in a quarter of an hour, and a workspace can send 60 again.',
    access: 'admin',
    params: Type.Object({ member_id: Id }),
    errors: ['not_found', 'member_deactivated', 'mail_not_configured'],
  }),
}
