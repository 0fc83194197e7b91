import Type, { type Static } from 'typebox'
import { Member, Role } from './members'
import { operation } from './operation'
import { Body, Choice, Id, Nullable, Shape } from './shapes'

/** So many people can be invited at once, and added to so many channels. */
export const MAX_INVITED = 50
export const MAX_INVITED_CHANNELS = 50
/** How many people can be invited at once, times how many channels each of them is in then. */
export const MAX_ADDED_AT_ONCE = 1_000

export const ChannelIds = Type.Array(Id, {
  maxItems: MAX_INVITED_CHANNELS,
  uniqueItems: true,
  description:
    'The channels they are added to, besides those that everyone joins. Guests need at least one: they see nothing else.',
})

export const Invitation = Shape(
  'Invitation',
  {
    email: Type.String(),
    status: Choice(['invited', 'already_member', 'invalid'], {
      description:
        '`invited`: they are a member now. `already_member`: they were one before, or are deactivated; nothing was changed. `invalid`: it is not an e-mail address.',
    }),
    member: Nullable(Member, 'The member with this address; null if it is not one.'),
  },
  'What became of one address.',
)
export type Invitation = Static<typeof Invitation>

export const invitations = {
  create: operation({
    method: 'POST',
    path: '/v2/invitations',
    summary: 'Invite several people at once.',
    description:
      'The response says for each address, once, what became of it. Those who are invited get a name after their address, which they can change. At most 1,000 additions to channels are made at once: 50 people can be added to 20 channels each, default channels included. If e-mail is set up on the server, each gets an invitation, and a workspace can send 500 a day. Otherwise, create a sign-in link for each and send it to them yourself.',
    access: 'admin',
    body: Body({
      emails: Type.Array(Type.String({ maxLength: 320 }), {
        minItems: 1,
        maxItems: MAX_INVITED,
        description: 'Their e-mail addresses.',
      }),
      role: Role,
      channel_ids: Type.Optional(ChannelIds),
    }),
    output: Type.Object({ data: Type.Array(Invitation) }, { additionalProperties: false }),
    status: 200,
    errors: [],
  }),
}
