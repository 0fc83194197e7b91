import type { QueryKey } from '@tanstack/react-query'
import type { EventType } from '../../contract/event-types'
import type { Event, EventOf } from '../../contract/events'
import * as access from './access'
import * as apps from './apps'
import * as channels from './channels'
import * as commenting from './commenting'
import * as comments from './comments'
import * as drafts from './draft-list'
import * as edits from './edits'
import * as emoji from './emoji'
import * as files from './files'
import * as follows from './follows'
import * as hooks from './hooks'
import * as inbox from './inbox'
import * as members from './members'
import * as memberships from './memberships'
import * as messages from './messages'
import { cache, changeByEvent } from './parley'
import * as pins from './pins'
import * as posts from './posts'
import * as profile from './profile'
import * as reactions from './reactions'
import * as reads from './reads'
import * as resolutions from './resolutions'
import * as saved from './saved'
import * as search from './search'
import * as sessions from './sessions'
import * as setup from './setup'
import * as signInLinks from './sign-in-links'
import { postStates, threadStates } from './states'
import * as threads from './threads'
import * as tokens from './tokens'
import * as unread from './unread'
import * as webhooks from './webhooks'
import * as workspace from './workspace'

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
    resolutions.dismissOfPost,
    ({ data }) => edits.refetchEdit(data.id),
    search.markOutdated,
    pins.putPinned,
    saved.putSaved,
    files.refetchFiles,
  ],
  'post.deleted': [
    ({ data }) => posts.dropPost(data.id),
    ({ data }) => commenting.markPostDeleted(data.id),
    resolutions.dismissOfPost,
    channels.discountPost,
    search.markOutdated,
    unread.refreshUnread,
    inbox.refreshInbox,
    ({ data }) => pins.dropPin(data.id),
    ({ data }) => saved.dropSaved(data.id),
    files.refetchFiles,
  ],
  'post.resolved': [
    posts.handlePost,
    resolutions.dismissOfPost,
    ({ data }) => edits.refetchEdit(data.id),
    search.markOutdated,
    unread.handleResolution,
    pins.putPinned,
    saved.putSaved,
    files.refetchFiles,
  ],
  'post.unresolved': [
    posts.handlePost,
    resolutions.dismissOfPost,
    search.markOutdated,
    unread.handleResolution,
    pins.putPinned,
    saved.putSaved,
    files.refetchFiles,
  ],
  'post.pinned': [pins.handlePinned],
  'post.unpinned': [pins.handlePinned],
  'comment.created': [
    posts.countComment,
    commenting.handleCreated,
    resolutions.dismissOfComment,
    edits.handleComment,
    search.markOutdated,
    unread.handleComment,
    files.refetchIfShown,
  ],
  'comment.updated': [
    ({ data }) => comments.putComment(data),
    resolutions.dismissOfComment,
    ({ data }) => edits.refetchEdit(data.id),
    search.markOutdated,
    ({ data }) => postStates.refresh(data.subject_id),
    files.refetchFiles,
  ],
  'comment.deleted': [
    posts.refetchPost,
    ({ data }) => comments.removeComment(data),
    resolutions.dismissOfComment,
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
    ({ data }) => threadStates.refresh(data.thread_id),
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
  'channel.created': [({ data }) => channels.putChannel(data), memberships.handleCreated],
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
    memberships.onMembership(true),
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
    memberships.onMembership(false),
    search.markOutdated,
    unread.refreshIfMe,
    inbox.refreshIfMine,
  ],
  'access.lost': [({ data }) => access.forget(data), saved.refreshSaved],
  'member.created': [members.handleMember, stale(setup.MEMBERS_COUNT)],
  'member.updated': [members.handleMember],
  'member.deactivated': [members.handleMember, stale(signInLinks.LINKS)],
  'member.reactivated': [members.handleMember],
  'profile.updated': [({ data }) => profile.putProfile(data)],
  'app.mentioned': 'nothing shown',
  'app.created': [({ data }) => apps.put(data)],
  'app.deleted': [({ data }) => apps.drop(data.id)],
  'token.created': [stale(tokens.TOKENS)],
  'token.revoked': [stale(tokens.TOKENS)],
  // Using a sign-in link ends it.
  'session.created': [stale(sessions.SESSIONS), stale(signInLinks.LINKS)],
  'session.ended': [stale(sessions.SESSIONS)],
  'sign_in_link.created': [stale(signInLinks.LINKS)],
  'sign_in_link.revoked': [stale(signInLinks.LINKS)],
  'password.changed': [profile.refreshIfMine],
  'password.removed': [profile.refreshIfMine],
  // Events leave out the URL of a webhook.
  'webhook.created': [stale(webhooks.WEBHOOKS)],
  'webhook.updated': [stale(webhooks.WEBHOOKS)],
  'webhook.deleted': [({ data }) => webhooks.drop(data.id)],
  'hook.created': [hooks.refetch],
  'hook.updated': [hooks.refetch],
  'hook.deleted': [hooks.refetch],
  'reaction.added': [reactions.applyEvent],
  'reaction.removed': [reactions.applyEvent],
  // The picture of a custom emoji is a part of reactions.
  'emoji.created': [stale(reactions.REACTIONS), emoji.refetchEmoji],
  'emoji.deleted': [stale(reactions.REACTIONS), emoji.refetchEmoji],
  'inbox.updated': [({ data }) => unread.refreshSubject(data.subject_id), inbox.refreshInbox],
  'read.updated': [({ data }) => reads.refreshReads(data.subject_id)],
  'follow.updated': [follows.handleFollow],
  'draft.updated': [drafts.handleDraft],
  'saved.updated': [saved.handleSaved],
  'workspace.created': 'nothing shown',
  'workspace.updated': [({ data }) => workspace.putWorkspace(data)],
  'workspace.seeded': [
    stale(posts.POSTS),
    channels.refresh,
    stale(memberships.JOINED),
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
