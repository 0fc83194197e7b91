/** The types of events, in the order they are documented. Their data is in `events.ts`. */
export const eventTypes = [
  ...(['post.created', 'post.updated', 'post.deleted', 'post.resolved', 'post.unresolved'] as const),
  ...(['comment.created', 'comment.updated', 'comment.deleted'] as const),
  ...(['thread.created', 'message.created', 'message.updated', 'message.deleted'] as const),
  ...(['channel.created', 'channel.updated', 'channel.deleted'] as const),
  ...(['channel.member_added', 'channel.member_removed'] as const),
  ...(['member.created', 'member.updated', 'member.deactivated', 'member.reactivated'] as const),
  ...(['app.mentioned', 'app.created', 'app.deleted', 'token.created', 'token.revoked'] as const),
  ...(['session.created', 'session.ended', 'sign_in_link.created', 'sign_in_link.revoked'] as const),
  ...(['password.changed', 'password.removed'] as const),
  ...(['webhook.created', 'webhook.updated', 'webhook.deleted'] as const),
  ...(['workspace.created', 'workspace.seeded'] as const),
] as const

export type EventType = (typeof eventTypes)[number]
