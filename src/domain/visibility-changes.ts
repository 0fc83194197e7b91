import type { EventType } from '../contract/event-types'
import type { LocatedEvent, Visibility } from './events/visibility'
import { seesPublic, type Viewer } from './permissions'

/**
 * Whose access an event may change: what they can see, or whether they may call at all. `named` is those whose id is in
 * its data, `channel` those who can see its channel before or after, `all` everyone.
 */
type Affected = 'nobody' | 'named' | 'channel' | 'all'

const affected: { [E in EventType]: Affected } = {
  'post.created': 'nobody',
  'post.updated': 'nobody',
  'post.deleted': 'nobody',
  'post.resolved': 'nobody',
  'post.unresolved': 'nobody',
  'post.pinned': 'nobody',
  'post.unpinned': 'nobody',
  'comment.created': 'nobody',
  'comment.updated': 'nobody',
  'comment.deleted': 'nobody',
  'thread.created': 'named',
  'thread.member_added': 'named',
  'thread.member_removed': 'named',
  'message.created': 'nobody',
  'message.updated': 'nobody',
  'message.deleted': 'nobody',
  'file.deleted': 'nobody',
  'channel.created': 'channel',
  'channel.updated': 'channel',
  'channel.deleted': 'channel',
  'channel.member_added': 'named',
  'channel.member_removed': 'named',
  // It comes with the event that took the access away.
  'access.lost': 'nobody',
  'member.created': 'nobody',
  'member.updated': 'named',
  'member.deactivated': 'named',
  'member.reactivated': 'named',
  'profile.updated': 'nobody',
  'app.mentioned': 'nobody',
  'app.created': 'nobody',
  'app.deleted': 'named',
  'token.created': 'nobody',
  'token.revoked': 'named',
  'session.created': 'nobody',
  'session.ended': 'named',
  'sign_in_link.created': 'nobody',
  'sign_in_link.revoked': 'nobody',
  // The sessions it ends have events of their own.
  'password.changed': 'nobody',
  'password.removed': 'nobody',
  'webhook.created': 'nobody',
  'webhook.updated': 'nobody',
  'webhook.deleted': 'nobody',
  'hook.created': 'nobody',
  'hook.updated': 'nobody',
  'hook.deleted': 'nobody',
  'reaction.added': 'nobody',
  'reaction.removed': 'nobody',
  'emoji.created': 'nobody',
  'emoji.deleted': 'nobody',
  'inbox.updated': 'nobody',
  'read.updated': 'nobody',
  'follow.updated': 'nobody',
  'draft.updated': 'nobody',
  'saved.updated': 'nobody',
  'workspace.created': 'nobody',
  'workspace.updated': 'nobody',
  'workspace.seeded': 'all',
}

/** A type that this version does not know may change anything. */
const affectedBy = (type: string): Affected => (Object.hasOwn(affected, type) ? affected[type as EventType] : 'all')

/** Whether an event may change who can see what, or who may call at all. */
export const changesVisibility = (type: string): boolean => affectedBy(type) !== 'nobody'

interface Change extends LocatedEvent {
  actor_key: number
  data: string
}

/**
 * Updates a viewer's visibility from an event, so that a thousand streams need not query the database for each. Returns
 * false if the event does not say enough: then the caller must query. `tokenId` is the token the viewer called with.
 */
export function updateVisibility(visibility: Visibility, viewer: Viewer, tokenId: string, event: Change): boolean {
  switch (affectedBy(event.type)) {
    case 'nobody':
      return true
    case 'named':
      return !event.data.includes(viewer.author.id) && !event.data.includes(tokenId)
    case 'channel':
      return updateChannel(visibility, viewer, event)
    case 'all':
      return false
  }
}

function updateChannel({ channels, archivedChannels }: Visibility, viewer: Viewer, event: Change): boolean {
  const { is_private, archived_at } = JSON.parse(event.data) as { is_private: boolean; archived_at: string | null }
  const key = event.channel_key
  const isCreator = event.type === 'channel.created' && event.actor_key === viewer.author.key
  const isKnown = channels.has(key) || archivedChannels.has(key)
  // Only the database knows who is a member of a channel that may have become private.
  if (event.type === 'channel.updated' && is_private && isKnown) return false
  if (!isCreator && !isKnown && (is_private || !seesPublic(viewer))) return true

  channels.delete(key)
  archivedChannels.delete(key)
  ;(archived_at === null ? channels : archivedChannels).add(key)
  return true
}
