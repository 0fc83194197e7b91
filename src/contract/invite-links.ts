import Type, { type Static } from 'typebox'
import { ChannelIds } from './invitations'
import { operation } from './operation'
import { Author, Body, Choice, Id, listQuery, Nullable, Page, Shape, TextOrNull, Timestamp } from './shapes'

/** A link that many may have makes nobody an admin. */
export const linkRoles = ['member', 'viewer', 'guest'] as const
export type LinkRole = (typeof linkRoles)[number]
const LinkRole = Choice(linkRoles, { description: 'The role of those who join by it: never `admin`.' })

/** The maximum number of invite links of a workspace. */
export const MAX_INVITE_LINKS = 100

const limits = {
  email_domain: Nullable(
    Type.String(),
    'Only people with an address of exactly this domain can join, such as `acme.example`; null for any.',
  ),
  max_uses: Nullable(Type.Integer({ minimum: 1 }), 'How many people can join by it; null for no limit.'),
  expires_at: Nullable(Timestamp, 'When it stops working; null if it does not.'),
}

export const InviteLink = Shape(
  'InviteLink',
  {
    id: Id,
    url: Nullable(
      Type.String(),
      'Whoever has it can join. Null if you must not have it, because it leads to a private channel you are not in; or if the server cannot show it again, because it has another secret key.',
    ),
    role: LinkRole,
    channel_ids: Type.Array(Id, { description: 'The channels they are added to, of those that you can see.' }),
    ...limits,
    uses_count: Type.Integer({ minimum: 0, description: 'How many people have joined by it.' }),
    created_by: Author,
    created_at: Timestamp,
  },
  'A link by which people join the workspace.',
)
export type InviteLink = Static<typeof InviteLink>

/** The data of invite link events. The log tells neither the address nor the channels. */
export const InviteLinkNote = Shape(
  'InviteLinkNote',
  { id: Id, role: LinkRole, ...limits, uses_count: Type.Integer({ minimum: 0 }), created_by: Author },
  'An invite link, without its address and its channels.',
)
export type InviteLinkNote = Static<typeof InviteLinkNote>

const MAX_USES = 100_000

const settings = {
  channel_ids: Type.Optional(ChannelIds),
  email_domain: Type.Optional(
    TextOrNull({ maxLength: 254, description: 'Only addresses of this domain. It takes e-mail that is set up.' }),
  ),
  max_uses: Type.Optional(
    Type.Unsafe<number | null>({
      ...{ type: ['integer', 'null'], minimum: 1, maximum: MAX_USES },
      description: 'How many people can join by it, from the beginning.',
    }),
  ),
  expires_at: Type.Optional(
    Type.Unsafe<string | null>({
      ...{ type: ['string', 'null'], format: 'date-time' },
      description: 'When it stops working.',
    }),
  ),
}

const byId = Type.Object({ id: Id })

export const inviteLinks = {
  list: operation({
    method: 'GET',
    path: '/v2/invite-links',
    depends: 'nothing',
    summary: 'List the invite links of the workspace.',
    description: 'Also those that nobody can join by any more, until they are revoked. Apps see none.',
    access: 'admin',
    query: listQuery(['created_at'], 'desc', {}),
    output: Page(InviteLink),
    errors: ['invalid_cursor'],
  }),
  create: operation({
    method: 'POST',
    path: '/v2/invite-links',
    summary: 'Create a link by which people join the workspace.',
    description:
      'If e-mail is set up on the server, whoever joins confirms their address first. Otherwise everyone who has the link can join with any address that the server does not know, so send it to nobody else. The link works as long as you are an admin, and leads to a private channel as long as you are in it. Apps cannot create such links.',
    access: 'admin',
    body: Body({ role: LinkRole, ...settings }),
    output: InviteLink,
    status: 201,
    errors: ['mail_not_configured', 'too_many_invite_links'],
    secret: true,
  }),
  update: operation({
    method: 'PATCH',
    path: '/v2/invite-links/:id',
    summary: 'Change whom an invite link lets in, until when, and where.',
    description:
      'Channels that you cannot see stay as they are. Its address stays the same, unless the link now leads to a private channel that it did not lead to before: then `url` is new and the old address stops working, as admins who are not in that channel may have it. Whoever has not confirmed their address yet has to ask again.',
    access: 'admin',
    params: byId,
    body: Body({ role: Type.Optional(LinkRole), ...settings }),
    output: InviteLink,
    errors: ['not_found', 'mail_not_configured'],
  }),
  delete: operation({
    method: 'DELETE',
    path: '/v2/invite-links/:id',
    summary: 'Revoke an invite link.',
    description: 'It takes effect at once, also for those who have not confirmed their address yet.',
    access: 'admin',
    params: byId,
    errors: ['not_found'],
  }),
}
