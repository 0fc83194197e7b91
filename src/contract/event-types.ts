/** Events about the state of a single member: their inbox, what they have read, follow or saved, their sidebar and drafts. */
const personalTypes = [
  'inbox.updated',
  'read.updated',
  'follow.updated',
  'saved.updated',
  'draft.updated',
  'sidebar.updated',
] as const

/** The types of events, in the order they are documented. Their data is in `events.ts`. */
export const eventTypes = [
  ...(['post.created', 'post.updated', 'post.deleted', 'post.resolved', 'post.unresolved'] as const),
  ...(['post.pinned', 'post.unpinned'] as const),
  ...(['comment.created', 'comment.updated', 'comment.deleted'] as const),
  ...(['thread.created', 'thread.member_added', 'thread.member_removed'] as const),
  ...(['message.created', 'message.updated', 'message.deleted'] as const),
  'file.deleted',
  ...(['channel.created', 'channel.updated', 'channel.deleted'] as const),
  ...(['channel.member_added', 'channel.member_removed', 'access.lost'] as const),
  ...(['member.created', 'member.updated', 'member.deactivated', 'member.reactivated', 'profile.updated'] as const),
  ...(['group.created', 'group.updated', 'group.deleted'] as const),
  ...(['group.member_added', 'group.member_removed'] as const),
  ...(['app.mentioned', 'app.created', 'app.deleted', 'token.created', 'token.revoked'] as const),
  ...(['session.created', 'session.ended', 'sign_in_link.created', 'sign_in_link.revoked'] as const),
  ...(['invite_link.created', 'invite_link.updated', 'invite_link.revoked'] as const),
  ...(['password.changed', 'password.removed'] as const),
  ...(['webhook.created', 'webhook.updated', 'webhook.deleted'] as const),
  ...(['hook.created', 'hook.updated', 'hook.deleted'] as const),
  ...(['reaction.added', 'reaction.removed', 'emoji.created', 'emoji.deleted'] as const),
  ...personalTypes,
  ...(['workspace.created', 'workspace.updated', 'workspace.seeded'] as const),
] as const

export type EventType = (typeof eventTypes)[number]
export type PersonalEventType = (typeof personalTypes)[number]

/** The types that webhooks send: all but what concerns a single member. */
export const webhookEventTypes = eventTypes.filter((type) => !(personalTypes as readonly EventType[]).includes(type))
