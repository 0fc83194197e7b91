import { useQuery } from '@tanstack/react-query'
import { ApiError } from '../../client'
import type { Comment } from '../../contract/comments'
import type { EventOf } from '../../contract/events'
import type { Me } from '../../contract/me'
import type { Pin } from '../../contract/pins'
import type { Post } from '../../contract/posts'
import type { Author } from '../../contract/shapes'
import { dismissOutdatedNotice, notify, notifyProblem } from '../parts/notices'
import { sources } from '../paths'
import { addFirst, changeRecords, type Pages, usePages } from './cache/pages'
import { cache, parley } from './cache/parley'
import { type Feed, toFeedQuery } from './feed'
import { getSource } from './markdown'
import { meQuery } from './me'
import { postStates } from './unread'

export const POSTS = ['posts']
export const feedKey = (feed: Feed) => [...POSTS, feed]
export const postKey = (id: string) => ['post', id]

export const useFeed = (feed: Feed, from?: string) =>
  usePages<Post>(feedKey(feed), (after) => parley.posts.list(toFeedQuery(feed, after)), { from })

export const usePost = (id: string) =>
  useQuery({ queryKey: postKey(id), queryFn: () => getPost(id), placeholderData: () => findPostInFeeds(id) })

async function getPost(id: string): Promise<Post> {
  try {
    return await parley.posts.get({ id })
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) dropFromFeeds(id)
    throw error
  }
}

/** A post that is loaded in a feed, to show it at once when it is opened. */
function findPostInFeeds(id: string): Post | undefined {
  for (const [, pages] of cache.getQueriesData<Pages<Post>>({ queryKey: POSTS }))
    for (const page of pages?.pages ?? []) {
      const found = page.data.find((post) => post.id === id)
      if (found) return found
    }
  return undefined
}

/** Updates a post in the cache, in every feed that shows or should show it. */
export function putPost(post: Post) {
  cache.setQueryData(postKey(post.id), post)
  for (const [key, pages] of cache.getQueriesData<Pages<Post>>({ queryKey: POSTS })) {
    if (!pages) continue
    const feed = key[1] as Feed
    const isInFeed = belongsToFeed(feed, post)
    const isActivity = feed.sort === 'last_activity_at'
    const shown = pages.pages.flatMap(({ data }) => data).find(({ id }) => id === post.id)
    const movesUp = isActivity && shown && shown.last_activity_at < post.last_activity_at && startsAtTop(pages)
    if (shown && (!isInFeed || movesUp))
      changeRecords<Post>(key, (record) => (record.id === post.id ? undefined : record))
    else if (shown) changeRecords<Post>(key, (record) => (record.id === post.id ? post : record))
    if (isInFeed && (movesUp || (!shown && isNewest(pages, feed, post))))
      cache.setQueryData<Pages<Post>>(key, (now) => now && addFirst(now, post))
  }
}

const belongsToFeed = ({ channel_id, author_id, resolved }: Feed, post: Post) =>
  (channel_id === undefined || post.channel.id === channel_id) &&
  (author_id === undefined || post.author.id === author_id) &&
  (resolved === undefined || resolved === (post.resolution !== null))

const startsAtTop = (pages: Pages<Post>) => !pages.pages[0]?.prev_cursor

/** Whether a post belongs before the first post of a list. */
function isNewest(pages: Pages<Post>, { sort }: Feed, post: Post): boolean {
  const first = pages.pages[0]?.data[0]
  if (!first) return true
  return sort === 'last_activity_at'
    ? post.last_activity_at >= first.last_activity_at
    : post.created_at >= first.created_at
}

/** Changes a post if it is cached. */
export function changePost(id: string, change: (post: Post) => Post) {
  const known = cache.getQueryData<Post>(postKey(id)) ?? findPostInFeeds(id)
  if (known) putPost(change(known))
}

const dropFromFeeds = (id: string) => changeRecords<Post>(POSTS, (post) => (post.id === id ? undefined : post))

export function dropPost(id: string) {
  cache.removeQueries({ queryKey: postKey(id) })
  dropFromFeeds(id)
}

/** Removes the posts of a channel that the member can no longer see. One that is open is requested again, and not found. */
export function dropPostsOf(channelId: string) {
  changeRecords<Post>(POSTS, (post) => (post.channel.id === channelId ? undefined : post))
  const isOfChannel = (post: unknown) => (post as Post | undefined)?.channel.id === channelId
  void cache.resetQueries({ predicate: ({ queryKey, state }) => queryKey[0] === 'post' && isOfChannel(state.data) })
}

/** Counts a new comment on its post. */
export const countComment = ({ data: { subject_id, created_at } }: { data: Comment }) =>
  changePost(subject_id, (post) => ({
    ...post,
    comments_count: post.comments_count + 1,
    last_activity_at: created_at > post.last_activity_at ? created_at : post.last_activity_at,
  }))

/** A deleted comment may stay as a placeholder, remove its parent or remove the resolution: read the post again. */
export async function refetchPost({ data: { subject_id } }: { data: Comment }) {
  if (!cache.getQueryData(postKey(subject_id)) && !findPostInFeeds(subject_id)) return
  const post = await parley.posts.get({ id: subject_id }).catch(() => undefined)
  if (post) putPost(post)
}

/** Someone who joins or leaves a channel can see different posts. */
export const refetchPosts = ({ data: { member } }: { data: { member: Author } }) => {
  if (member.id !== cache.getQueryData<Me>(meQuery.queryKey)?.author.id) return
  void cache.invalidateQueries({ queryKey: POSTS })
  void cache.invalidateQueries({ queryKey: ['post'] })
}

/** After a reconnect, the log may replay events of posts that have been deleted since; these events are redacted. */
export const handlePost = ({ data, is_redacted }: { data: Post; is_redacted: boolean }) => {
  if (!is_redacted) putPost(data)
}

const toTitle = (title: string) => title.trim() && { title: title.trim() }

export async function publishPost(channel_id: string, title: string, content_markdown: string, idempotencyKey: string) {
  const post = await parley.posts.create({ channel_id, content_markdown, ...toTitle(title) }, { idempotencyKey })
  putPost(post)
  return post
}

export async function updatePost({ id }: Post, title: string, content_markdown: string) {
  putPost(await parley.posts.update({ id, content_markdown, title: title.trim() }))
}

/** Deletes a post: hidden at once, shown again if the request fails. */
export async function deletePost(post: Post) {
  dropPost(post.id)
  try {
    await parley.posts.delete({ id: post.id })
  } catch (error) {
    putPost(post)
    notifyProblem("Couldn't delete the post.", error)
  }
}

const PINS = ['pins']
const pinsKey = (channelId: string) => [...PINS, channelId]

/** The pinned posts of a channel, most recently pinned first. All fit on one page. */
export const usePins = (channelId: string | undefined) =>
  useQuery({
    queryKey: pinsKey(channelId ?? ''),
    queryFn: async () => (await parley.pins.list({ channel_id: channelId! })).data,
    enabled: channelId !== undefined,
  })

/** Pins or unpins a post. The change is shown at once, and undone if the request fails. */
export async function setPinned(post: Post, isPinned: boolean) {
  const before = postStates.get(post.id)?.pinned_at ?? null
  postStates.change(post.id, { pinned_at: isPinned ? new Date().toISOString() : null })
  if (!isPinned) dropPin(post.id)
  try {
    await (isPinned ? parley.pins.set : parley.pins.unset)({ post_id: post.id })
  } catch (error) {
    postStates.change(post.id, { pinned_at: before })
    notifyProblem(`Couldn't ${isPinned ? 'pin' : 'unpin'} the post.`, error)
  }
  refreshPins(post)
}

const refreshPins = ({ channel }: Post) => void cache.invalidateQueries({ queryKey: pinsKey(channel.id) })

const changePins = (change: (pin: Pin) => Pin | undefined) =>
  cache.setQueriesData<Pin[]>({ queryKey: PINS }, (pins) => pins?.flatMap((pin) => change(pin) ?? []))

export const dropPin = (postId: string) => changePins((pin) => (pin.post.id === postId ? undefined : pin))

export const putPinned = ({ data, is_redacted }: { data: Post; is_redacted: boolean }) => {
  if (!is_redacted) changePins((pin) => (pin.post.id === data.id ? { ...pin, post: data } : pin))
}

export function handlePinned({ data, type, timestamp }: EventOf<'post.pinned' | 'post.unpinned'>) {
  postStates.change(data.id, { pinned_at: type === 'post.pinned' ? timestamp : null })
  refreshPins(data)
}

/** The comment a post is resolved with, if any. */
export interface ResolvedBy {
  comment?: Comment
}

/** Resolves a post: shown at once, undone if the request fails. */
export async function resolve(post: Post, by: Author, { comment }: ResolvedBy = {}) {
  const resolution = {
    resolved_at: new Date().toISOString(),
    resolved_by: by,
    resolved_html: null,
    resolved_comment: comment ?? null,
  }
  putPost({ ...post, resolution })
  try {
    putResolution(await parley.posts.resolve({ post_id: post.id, comment_id: comment?.id }))
  } catch (error) {
    putPost(post)
    notifyProblem("Couldn't resolve the post.", error)
  }
}

/** Resolves a post with a note. Not optimistic: the server renders the note. */
export async function resolveWithNote(post: Post, note: string, idempotencyKey: string) {
  putResolution(await parley.posts.resolve({ post_id: post.id, content_markdown: note }, { idempotencyKey }))
}

/** Reopens a post without confirmation, and offers Undo until anything newer happens to the post. */
export async function reopen(post: Post) {
  putPost({ ...post, resolution: null })
  try {
    const note = post.resolution?.resolved_html ? await getSource(sources.resolution(post.id)) : undefined
    const reopened = await parley.posts.unresolve({ post_id: post.id })
    putResolution(reopened)
    const undo = { label: 'Undo', run: () => void restoreResolution(post, note) }
    notify('Post reopened', undo, { id: post.id, at: reopened.last_activity_at })
  } catch (error) {
    putPost(post)
    notifyProblem("Couldn't reopen the post.", error)
  }
}

/** Resolves a post again with the resolution it had, unless it has a newer one by now. */
async function restoreResolution({ id, resolution }: Post, note: string | undefined) {
  try {
    const comment_id = resolution!.resolved_comment?.id
    putPost(await parley.posts.resolve({ post_id: id, content_markdown: note, comment_id, if_open: true }))
  } catch (error) {
    if (error instanceof ApiError && error.code === 'already_resolved')
      notify('The post has been resolved by someone else')
    else notifyProblem("Couldn't restore the resolution.", error)
  }
}

function putResolution(post: Post) {
  putPost(post)
  dismissOutdatedNotice(post.id, post.last_activity_at)
}

export const dismissOfPost = ({ data, timestamp }: { data: Post; timestamp: string }) =>
  dismissOutdatedNotice(data.id, timestamp)
export const dismissOfComment = ({ data, timestamp }: { data: Comment; timestamp: string }) =>
  dismissOutdatedNotice(data.subject_id, timestamp)
