import type { QueryKey } from '@tanstack/react-query'
import { mayHaveFiles } from '../../../contract/browser/constants'
import type { Channel } from '../../../contract/channels'
import type { EventType } from '../../../contract/event-types'
import type { Event, EventOf } from '../../../contract/events'
import type { Me } from '../../../contract/me'
import type { Member } from '../../../contract/members'
import type { Pin } from '../../../contract/pins'
import type { Post } from '../../../contract/posts'
import type { LostAccess } from '../../../contract/shapes'
import { dismissOutdatedNotice } from '../../parts/notices'
import { addJoined, loseChannel, refreshLists, removeJoined } from '../channels'
import { addComment, markPostDeleted, putComment, removeComment } from '../comments'
import { handleDraft } from '../draft-sync'
import { getMyId } from '../me'
import { addMessage, removeMessage } from '../messages'
import { putPost } from '../posts'
import { putReaction } from '../reactions'
import { noteInbox, noteOwnActivity, refreshReads } from '../reads'
import { putSaved } from '../saved'
import { loseThread, putThread } from '../threads'
import { changeState, countPost, markStateStale, putFollow, takePart } from '../unread'
import { keys } from './keys'
import { type Listed, mapRecords } from './lists'
import { cache } from './parley'
import { afterSending } from './queue'
import { applyChanges, drop, markStale, patch, put, update } from './records'

type Handler<E extends EventType> = (event: EventOf<E>) => unknown

const isMe = (author: { id: string } | null) => author?.id === getMyId()

/** Requests again what the event cannot say. */
const stale = (...all: QueryKey[]) => {
  for (const key of all) markStale(key)
}

/** The log may replay events of posts that have been deleted since; these are redacted. */
function postChanged({ data, is_redacted }: { data: Post; is_redacted: boolean }) {
  if (!is_redacted) putPost(data)
}

/** A resolution or reopening makes a post unread to others, and read to whom it is by. */
const resolutionChanged = (event: EventOf<'post.resolved' | 'post.unresolved'>) => [
  postChanged(event),
  markStateStale(event.data.id),
  isMe(event.actor) && noteOwnActivity(),
  stale(keys.edit(event.data.id), keys.files),
]

const pinned = (event: EventOf<'post.pinned' | 'post.unpinned'>) => [
  postChanged(event),
  applyChanges(changeState(event.data.id, { pinned_at: event.type === 'post.pinned' ? event.timestamp : null })),
  stale(keys.pinsOf(event.data.channel.id)),
]

const textChanged = (id: string) => stale(keys.edit(id), keys.files)

/** New files are known by the texts that refer to them. */
const textAdded = (html: string) => mayHaveFiles(html) && stale(keys.files)

/** Someone who joins or leaves a channel can see other posts. */
function membershipChanged(channel: Channel, member: { id: string }, isJoined: boolean) {
  stale(keys.channelMembers(channel.id), keys.channelFaces(channel.id))
  if (!isMe(member)) return
  if (isJoined) addJoined(channel)
  else removeJoined(channel.id)
  markStateStale(null)
  stale(keys.feeds, keys.posts, keys.inboxes, keys.saved)
}

function memberChanged(member: Member) {
  put('member', member)
  // Where someone is in a list by activity is not known here.
  stale(keys.members)
  if (!isMe(member)) return
  const role = cache.getQueryData<Me>(keys.me)?.role
  // Another role can see different things.
  stale(role === member.role ? keys.me : [])
}

/** Posts name their channel. */
function rename({ id, name }: Channel) {
  const renamed = (post: Post) =>
    post.channel.id === id && post.channel.name !== name ? { ...post, channel: { ...post.channel, name } } : post
  update<Listed<Post>>(keys.feeds, (posts) => mapRecords(posts, renamed))
  update(keys.posts, renamed)
  update<Listed<Pin>>(keys.pins, (pins) => mapRecords(pins, (pin) => ({ ...pin, post: renamed(pin.post) })))
}

/** Forgets what the member can no longer see. A page that shows it says that it was not found. */
function accessLost({ subject_type, subject_id }: LostAccess) {
  if (subject_type === 'thread') loseThread(subject_id)
  else if (subject_type === 'channel') {
    loseChannel(subject_id)
    losePostsOf(subject_id)
    stale(keys.unread)
  } else {
    // As a guest, they see less of everything.
    stale(keys.me)
    void cache.resetQueries({ predicate: ({ queryKey }) => queryKey[0] !== keys.me[0] })
  }
  stale(keys.saved, keys.inboxes)
}

function losePostsOf(channelId: string) {
  const isOfChannel = (post: unknown) => (post as Post | undefined)?.channel.id === channelId
  update<Listed<Post>>(keys.feeds, (posts) => mapRecords(posts, (post) => (isOfChannel(post) ? undefined : post)))
  void cache.resetQueries({
    predicate: ({ queryKey, state }) => queryKey[0] === keys.posts[0] && isOfChannel(state.data),
  })
}

/** What changes in the web app by each type of event. What is frequent needs no request. */
const handlers: { [E in EventType]: Handler<E> | 'nothing shown' } = {
  'post.created': (event) => [
    postChanged(event),
    countPost(event.data.channel.id, { eventId: event.id, isMine: isMe(event.actor) }),
    countPostOfChannel(event.data),
    textAdded(event.data.content),
  ],
  'post.updated': (event) => [postChanged(event), textChanged(event.data.id)],
  'post.deleted': ({ data: { id, channel } }) => [
    markPostDeleted(id),
    drop('post', id),
    stale(keys.channel(channel.id), keys.channelLists, keys.unread, keys.inboxes, keys.pinsOf(channel.id)),
    stale(keys.saved, keys.files),
  ],
  'post.resolved': resolutionChanged,
  'post.unresolved': resolutionChanged,
  'post.pinned': pinned,
  'post.unpinned': pinned,
  'comment.created': ({ id, actor, data, via, is_redacted }) => [
    is_redacted || addComment(data, { eventId: id, via }),
    isMe(actor) && noteOwnActivity(),
    textAdded(data.content),
  ],
  'comment.updated': ({ data, is_redacted }) => [
    is_redacted || putComment(data),
    textChanged(data.id),
    stale(keys.postState(data.subject_id)),
  ],
  'comment.deleted': ({ data }) => [
    removeComment(data),
    // It may have been the answer to the post.
    stale(keys.edit(data.subject_id), keys.reactionsTo(data.id), keys.files, keys.inboxes),
    markStateStale(data.subject_id),
  ],
  'thread.created': ({ data }) => putThread(data),
  'thread.member_added': ({ data: { thread, member } }) => [
    putThread(thread),
    isMe(member) && markStateStale(thread.id),
  ],
  'thread.member_removed': ({ data }) => putThread(data.thread),
  'message.created': ({ id, actor, data, via, is_redacted }) => [
    is_redacted || addMessage(data, { eventId: id, via }),
    isMe(actor) && noteOwnActivity(),
    textAdded(data.content),
  ],
  'message.updated': ({ data, is_redacted }) => [
    is_redacted || put('message', data),
    stale(keys.threadState(data.thread_id), keys.files),
  ],
  'message.deleted': ({ data }) => [removeMessage(data), stale(keys.inboxes, keys.files)],
  'file.deleted': () => stale(keys.files),
  // Who creates a channel is in it.
  'channel.created': ({ actor, data }) => (isMe(actor) ? addJoined(data) : refreshLists(data)),
  'channel.updated': ({ data }) => [
    put('channel', data),
    rename(data),
    refreshLists(data),
    stale(keys.saved, keys.inboxes),
  ],
  // The posts that are open are no longer visible.
  'channel.deleted': ({ data }) => [
    put('channel', data),
    refreshLists(data),
    stale(keys.posts, keys.feeds, keys.unread, keys.inboxes, keys.saved),
  ],
  'channel.member_added': ({ data: { channel, member } }) => [
    put('channel', channel),
    membershipChanged(channel, member, true),
  ],
  'channel.member_removed': ({ data: { channel, member } }) => [
    put('channel', channel),
    membershipChanged(channel, member, false),
  ],
  'access.lost': ({ data }) => accessLost(data),
  'member.created': ({ data }) => [memberChanged(data), stale(keys.membersCount)],
  'member.updated': ({ data }) => memberChanged(data),
  'member.deactivated': ({ data }) => [memberChanged(data), stale(keys.signInLinks)],
  'member.reactivated': ({ data }) => memberChanged(data),
  'profile.updated': ({ data }) => update(keys.profile(data.member_id), () => data),
  'group.created': () => stale(keys.groups),
  // Entries of the inbox name the group.
  'group.updated': () => stale(keys.groups, keys.inboxes),
  'group.deleted': () => stale(keys.groups, keys.inboxes),
  'group.member_added': () => stale(keys.groups),
  'group.member_removed': () => stale(keys.groups),
  'app.mentioned': 'nothing shown',
  'app.created': () => stale(keys.apps),
  'app.deleted': () => stale(keys.apps),
  'token.created': () => stale(keys.tokens),
  'token.revoked': () => stale(keys.tokens),
  // Using a sign-in link ends it.
  'session.created': () => stale(keys.sessions, keys.signInLinks),
  'session.ended': () => stale(keys.sessions),
  'sign_in_link.created': () => stale(keys.signInLinks),
  'sign_in_link.revoked': () => stale(keys.signInLinks),
  'invite_link.created': () => stale(keys.inviteLinks),
  'invite_link.updated': () => stale(keys.inviteLinks),
  'invite_link.revoked': () => stale(keys.inviteLinks),
  'password.changed': ({ data }) => isMe(data.member) && stale(keys.me),
  'password.removed': ({ data }) => isMe(data.member) && stale(keys.me),
  // Events leave out the URL of a webhook.
  'webhook.created': () => stale(keys.webhooks),
  'webhook.updated': () => stale(keys.webhooks),
  'webhook.deleted': () => stale(keys.webhooks),
  'hook.created': () => stale(keys.hooks),
  'hook.updated': () => stale(keys.hooks),
  'hook.deleted': () => stale(keys.hooks),
  'reaction.added': (event) => reacted(event),
  'reaction.removed': (event) => reacted(event),
  // The picture of a custom emoji is a part of reactions.
  'emoji.created': () => stale(keys.reactions, keys.emoji),
  'emoji.deleted': () => stale(keys.reactions, keys.emoji),
  // Whoever reads an entry reads what it is about.
  'inbox.updated': (event) => [
    event.actor ? markStateStale(event.data.subject_id) : stale(keys.unread),
    event.data.subject_id && takePart(event.data.subject_id),
    stale(keys.inboxes),
    noteInbox(event),
  ],
  'read.updated': ({ data }) => refreshReads(data.subject_id),
  'follow.updated': ({ data }) => putFollow(data),
  'draft.updated': handleDraft,
  'saved.updated': ({ data }) => putSaved(data),
  'sidebar.updated': () => stale(keys.sidebar),
  'workspace.created': 'nothing shown',
  'workspace.updated': ({ data }) => update<Me>(keys.me, (me) => ({ ...me, workspace: data })),
  'workspace.seeded': () => stale([]),
}

/** The event about a record that was deleted no longer says which emoji. */
const reacted = (event: EventOf<'reaction.added' | 'reaction.removed'>) => [
  event.is_redacted || putReaction(event),
  stale(keys.whoReacted(event.data.subject_id)),
]

/** One more post of a channel, if the channel was read before it was there. */
const countPostOfChannel = ({ channel, created_at }: Post) =>
  patch('channel', channel.id, (known) =>
    !known.last_activity_at || known.last_activity_at < created_at
      ? { ...known, posts_count: known.posts_count + 1, last_activity_at: created_at }
      : known,
  )

/** Where what the member writes also arrives in a response. */
const ownPlaceOf = (event: Event): string | undefined => {
  if (!isMe(event.actor)) return undefined
  if (event.type === 'comment.created') return event.data.subject_id
  if (event.type === 'message.created') return event.data.thread_id
  return event.type === 'post.created' ? event.data.channel.id : undefined
}

/** What has happened to own new records since, while these wait for their responses. */
const held = new Map<string, (() => unknown)[]>()

function handleInOrder(event: Event, handle: () => unknown) {
  const { id, parent_id } = event.data as { id?: string; parent_id?: string }
  const later = held.get(id ?? '') ?? held.get(parent_id ?? '')
  if (later) return void later.push(handle)
  const place = ownPlaceOf(event)
  if (!place) return void handle()
  const waiting = [handle]
  held.set(id!, waiting)
  afterSending(place, () => {
    held.delete(id!)
    for (const run of waiting) run()
  })
}

/** Brings what is cached up to date with an event. A newer server may send types that are not known here. */
export function handleEvent(event: Event) {
  const handle = handlers[event.type] as Handler<EventType> | 'nothing shown' | undefined
  if (handle === undefined || handle === 'nothing shown') return
  handleInOrder(event, () => handle(event))
  const { subject_id, id } = event.data as { subject_id?: string; id?: string }
  for (const subject of [subject_id, id]) if (subject) dismissOutdatedNotice(subject, event.timestamp)
}
