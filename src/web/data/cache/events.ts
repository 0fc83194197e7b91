import type { QueryKey } from '@tanstack/react-query'
import type { EventType } from '../../../contract/event-types'
import type { Event, EventOf } from '../../../contract/events'
import * as access from '../access'
import * as channels from '../channels'
import * as comments from '../comments'
import * as draftSync from '../draft-sync'
import * as edits from '../edits'
import * as emoji from '../emoji'
import * as files from '../files'
import * as inbox from '../inbox'
import * as me from '../me'
import * as members from '../members'
import * as messages from '../messages'
import * as posts from '../posts'
import * as reactions from '../reactions'
import * as reads from '../reads'
import * as saved from '../saved'
import * as search from '../search'
import * as threads from '../threads'
import * as unread from '../unread'
import * as workspace from '../workspace'
import { cache, changeByEvent } from './parley'

type Handler<E extends EventType> = (event: EventOf<E>) => unknown

/** Requests what is cached under a key again: at once if it is shown, else when it is. */
const stale = (queryKey: QueryKey) => () => cache.invalidateQueries({ queryKey })

/** The posts that are open may no longer be visible. */
const refetchOpenPosts = stale(['post'])

/** What changes in the web app by each type of event, in this order. */
const handlers: { [E in EventType]: readonly Handler<E>[] | 'nothing shown' } = {
  'post.created': [
    posts.handlePost,
    channels.countPost,
    search.markOutdated,
    unread.refreshUnlessMine,
    files.refetchIfShown,
  ],
  'post.updated': [
    posts.handlePost,
    posts.dismissOfPost,
    ({ data }) => edits.refetchEdit(data.id),
    search.markOutdated,
    posts.putPinned,
    saved.putSaved,
    files.refetchFiles,
  ],
  'post.deleted': [
    ({ data }) => posts.dropPost(data.id),
    ({ data }) => comments.markPostDeleted(data.id),
    posts.dismissOfPost,
    channels.discountPost,
    search.markOutdated,
    unread.refreshUnread,
    inbox.refreshInbox,
    ({ data }) => posts.dropPin(data.id),
    ({ data }) => saved.dropSaved(data.id),
    files.refetchFiles,
  ],
  'post.resolved': [
    posts.handlePost,
    posts.dismissOfPost,
    ({ data }) => edits.refetchEdit(data.id),
    search.markOutdated,
    unread.handleResolution,
    posts.putPinned,
    saved.putSaved,
    files.refetchFiles,
  ],
  'post.unresolved': [
    posts.handlePost,
    posts.dismissOfPost,
    search.markOutdated,
    unread.handleResolution,
    posts.putPinned,
    saved.putSaved,
    files.refetchFiles,
  ],
  'post.pinned': [posts.handlePinned],
  'post.unpinned': [posts.handlePinned],
  'comment.created': [
    posts.countComment,
    comments.handleCreated,
    posts.dismissOfComment,
    edits.handleComment,
    search.markOutdated,
    unread.handleComment,
    files.refetchIfShown,
  ],
  'comment.updated': [
    ({ data }) => comments.putComment(data),
    posts.dismissOfComment,
    ({ data }) => edits.refetchEdit(data.id),
    search.markOutdated,
    ({ data }) => unread.postStates.refresh(data.subject_id),
    files.refetchFiles,
  ],
  'comment.deleted': [
    posts.refetchPost,
    ({ data }) => comments.removeComment(data),
    posts.dismissOfComment,
    // It may have been the answer to the post.
    ({ data }) => edits.refetchEdit(data.subject_id),
    search.markOutdated,
    unread.handleComment,
    inbox.refreshInbox,
    ({ data }) => reactions.refetchReactions(data.id),
    files.refetchFiles,
  ],
  'thread.created': [({ data }) => threads.putThread(data)],
  'thread.member_added': [({ data }) => threads.putThread(data.thread), unread.refreshIfMe],
  'thread.member_removed': [({ data }) => threads.putThread(data.thread)],
  'message.created': [
    ({ data, via }) => edits.markUnedited(data.id, via),
    messages.handleCreated,
    search.markOutdated,
    unread.handleMessage,
    files.refetchIfShown,
  ],
  'message.updated': [
    ({ data }) => messages.put(data),
    search.markOutdated,
    ({ data }) => unread.threadStates.refresh(data.thread_id),
    files.refetchFiles,
  ],
  'message.deleted': [
    messages.handleDeleted,
    search.markOutdated,
    unread.handleMessage,
    inbox.refreshInbox,
    files.refetchFiles,
  ],
  'file.deleted': [files.refetchFiles],
  'channel.created': [({ data }) => channels.putChannel(data), channels.handleCreated],
  'channel.updated': [({ data }) => channels.putChannel(data), search.markOutdated, saved.refreshSaved],
  'channel.deleted': [
    refetchOpenPosts,
    ({ data }) => channels.putChannel(data),
    search.markOutdated,
    unread.refreshUnread,
    inbox.refreshInbox,
    saved.refreshSaved,
  ],
  'channel.member_added': [
    posts.refetchPosts,
    ({ data }) => channels.putChannel(data.channel),
    ({ data }) => channels.refreshMembers(data.channel.id),
    channels.onMembership(true),
    search.markOutdated,
    unread.refreshIfMe,
    inbox.refreshIfMine,
    saved.refreshSaved,
  ],
  'channel.member_removed': [
    posts.refetchPosts,
    refetchOpenPosts,
    // The channel may no longer be visible.
    channels.refresh,
    ({ data }) => channels.refreshMembers(data.channel.id),
    channels.onMembership(false),
    search.markOutdated,
    unread.refreshIfMe,
    inbox.refreshIfMine,
  ],
  'access.lost': [({ data }) => access.forget(data), saved.refreshSaved],
  'member.created': [members.handleMember, stale(workspace.MEMBERS_COUNT)],
  'member.updated': [members.handleMember],
  'member.deactivated': [members.handleMember, stale(members.LINKS)],
  'member.reactivated': [members.handleMember],
  'profile.updated': [({ data }) => me.putProfile(data)],
  'app.mentioned': 'nothing shown',
  'app.created': [stale(['apps'])],
  'app.deleted': [stale(['apps'])],
  'token.created': [stale(['tokens'])],
  'token.revoked': [stale(['tokens'])],
  // Using a sign-in link ends it.
  'session.created': [stale(['sessions']), stale(members.LINKS)],
  'session.ended': [stale(['sessions'])],
  'sign_in_link.created': [stale(members.LINKS)],
  'sign_in_link.revoked': [stale(members.LINKS)],
  'password.changed': [me.refreshIfMine],
  'password.removed': [me.refreshIfMine],
  // Events leave out the URL of a webhook.
  'webhook.created': [stale(['webhooks'])],
  'webhook.updated': [stale(['webhooks'])],
  'webhook.deleted': [stale(['webhooks'])],
  'hook.created': [stale(['hooks'])],
  'hook.updated': [stale(['hooks'])],
  'hook.deleted': [stale(['hooks'])],
  'reaction.added': [reactions.applyEvent],
  'reaction.removed': [reactions.applyEvent],
  // The picture of a custom emoji is a part of reactions.
  'emoji.created': [stale(reactions.REACTIONS), emoji.refetchEmoji],
  'emoji.deleted': [stale(reactions.REACTIONS), emoji.refetchEmoji],
  'inbox.updated': [({ data }) => unread.refreshSubject(data.subject_id), inbox.refreshInbox, reads.noteInbox],
  'read.updated': [({ data }) => reads.refreshReads(data.subject_id)],
  'follow.updated': [unread.handleFollow],
  'draft.updated': [draftSync.handleDraft],
  'saved.updated': [saved.handleSaved],
  'workspace.created': 'nothing shown',
  'workspace.updated': [({ data }) => workspace.putWorkspace(data)],
  'workspace.seeded': [
    stale(posts.POSTS),
    channels.refresh,
    stale(channels.JOINED),
    stale(threads.THREADS),
    stale(['messages']),
    stale(members.MEMBERS),
    search.markOutdated,
    () => unread.refreshSubject(null),
    inbox.refreshInbox,
    files.refetchFiles,
  ],
}

/** Brings what is cached up to date with an event. A newer server may send types that are not known here. */
export function handleEvent(event: Event) {
  const known = handlers[event.type] as readonly ((event: Event) => unknown)[] | 'nothing shown' | undefined
  if (known === undefined || known === 'nothing shown') return
  changeByEvent(() => {
    for (const handle of known) handle(event)
  })
}
