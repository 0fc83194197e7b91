import { ApiError, NotFoundError } from '../../client/errors'
import type { Comment } from '../../contract/comments'
import type { Pin } from '../../contract/pins'
import type { Post } from '../../contract/posts'
import type { Author } from '../../contract/shapes'
import { notify, notifyProblem } from '../parts/notices'
import { sources } from '../paths'
import { keys } from './cache/keys'
import { optimistic, useShown } from './cache/optimistic'
import { usePages } from './cache/pages'
import { parley } from './cache/parley'
import { defineWrite } from './cache/queue'
import { change, changesOf, drop, findLoaded, markStale, patch, put, putOwn } from './cache/records'
import { type Feed, toFeedQuery } from './feed'
import { findNames, getSource, textToHtml } from './markdown'
import { getMe } from './me'
import { changeState } from './unread'

export const useFeed = (feed: Feed, from?: string) =>
  usePages<Post>(keys.feed(feed), (after) => parley.posts.list(toFeedQuery(feed, after)), { from })

export const usePost = (id: string) =>
  useShown<Post>({
    queryKey: keys.post(id),
    queryFn: () => loadPost(id),
    placeholderData: () => findLoaded('post', id),
  })

async function loadPost(id: string): Promise<Post> {
  try {
    return await parley.posts.get({ id })
  } catch (error) {
    // Lists may show it still.
    if (error instanceof NotFoundError) patch('post', id, () => undefined)
    throw error
  }
}

/**
 * Replaces a post wherever it is cached. A response or an event that is older than the latest comment does not know that comment,
 * which was counted already.
 */
export function putPost(post: Post) {
  const known = findLoaded('post', post.id)
  const isOlder = known !== undefined && known.last_activity_at > post.last_activity_at
  const { comments_count, last_activity_at } = isOlder ? known : post
  put('post', { ...post, comments_count, last_activity_at })
}

/** A post with a comment that was just written, counted once: undefined if the post may have been read with or without it. */
export function withComment(post: Post, { created_at }: Comment): Post | undefined {
  if (created_at <= post.last_activity_at) return undefined
  return { ...post, comments_count: post.comments_count + 1, last_activity_at: created_at }
}

const toTitle = (title: string) => title.trim() && { title: title.trim() }

export interface NewPost {
  channel_id: string
  title: string
  content_markdown: string
}

const writePost = defineWrite('post', {
  subjectOf: ({ channel_id }: NewPost) => channel_id,
  prepare: findNames,
  send: ({ channel_id, title, content_markdown }, idempotencyKey) =>
    parley.posts.create({ channel_id, content_markdown, ...toTitle(title) }, { idempotencyKey }),
  settle: (post) => putOwn('post', post),
})

/** Publishes a post. Undefined if it waits for a connection. */
export const publishPost = (channel_id: string, title: string, content_markdown: string, idempotencyKey: string) =>
  writePost({ channel_id, title, content_markdown }, idempotencyKey)

export async function updatePost({ id }: Post, title: string, content_markdown: string) {
  putPost(await parley.posts.update({ id, content_markdown, title: title.trim() }))
}

/** Deletes a post: hidden at once, shown again if the request fails. */
export async function deletePost({ id }: Post) {
  try {
    await optimistic(
      changesOf('post', id, () => undefined),
      () => parley.posts.delete({ id }),
      () => drop('post', id),
    )
  } catch (error) {
    notifyProblem("Couldn't delete the post.", error)
  }
}

/** The pinned posts of a channel, most recently pinned first. All fit on one page. */
export const usePins = (channelId: string | undefined) =>
  useShown<Pin[]>({
    queryKey: keys.pinsOf(channelId ?? ''),
    queryFn: async () => (await parley.pins.list({ channel_id: channelId! })).data,
    enabled: channelId !== undefined,
  })

/** Pins or unpins a post. The change is shown at once, and undone if the request fails. */
export async function setPinned({ id, channel }: Post, isPinned: boolean) {
  const unpin = change<Pin[]>(keys.pinsOf(channel.id), (pins) => pins.filter(({ post }) => post.id !== id))
  try {
    await optimistic(
      [...changeState(id, { pinned_at: isPinned ? new Date().toISOString() : null }), ...(isPinned ? [] : [unpin])],
      () => (isPinned ? parley.pins.set : parley.pins.unset)({ post_id: id }),
    )
    markStale(keys.pinsOf(channel.id))
  } catch (error) {
    notifyProblem(`Couldn't ${isPinned ? 'pin' : 'unpin'} the post.`, error)
  }
}

export interface Resolving {
  post_id: string
  by: Author
  at: string
  comment_id?: string
  note?: string
  /** Only if nobody else has resolved it meanwhile. */
  if_open?: boolean
}

const shownResolution = ({ by, at, comment_id, note }: Resolving): Post['resolution'] => ({
  resolved_at: at,
  resolved_by: by,
  resolved_html: note ? textToHtml(note) : null,
  resolved_comment: (comment_id && findLoaded('comment', comment_id)) || null,
})

const writeResolution = defineWrite('resolution', {
  subjectOf: ({ post_id }: Resolving) => post_id,
  changes: (resolving) =>
    changesOf('post', resolving.post_id, (post) => ({ ...post, resolution: shownResolution(resolving) })),
  send: ({ post_id, comment_id, note, if_open }, idempotencyKey) =>
    parley.posts.resolve({ post_id, comment_id, content_markdown: note, if_open }, { idempotencyKey }),
  settle: putPost,
})

const writeReopening = defineWrite('reopening', {
  subjectOf: ({ post_id }: { post_id: string }) => post_id,
  changes: ({ post_id }) => changesOf('post', post_id, (post) => ({ ...post, resolution: null })),
  send: ({ post_id }) => parley.posts.unresolve({ post_id }),
  settle: putPost,
})

/** Resolves a post, with a comment or without: shown at once. */
export async function resolve({ id }: Post, by: Author, { comment }: { comment?: Comment } = {}) {
  try {
    await writeResolution({ post_id: id, by, at: new Date().toISOString(), comment_id: comment?.id })
  } catch (error) {
    notifyProblem("Couldn't resolve the post.", error)
  }
}

/** Resolves a post with a note. Throws what is wrong with it. */
export const resolveWithNote = ({ id }: Post, note: string, idempotencyKey: string) =>
  writeResolution({ post_id: id, by: getMe().author, at: new Date().toISOString(), note }, idempotencyKey)

/** Reopens a post without confirmation, and offers Undo until anything newer happens to the post. */
export async function reopen(post: Post) {
  const { id, resolution } = post
  try {
    const note = resolution?.resolved_html ? await readNote(id) : undefined
    const reopened = await writeReopening({ post_id: id })
    const undo = { label: 'Undo', run: () => void restoreResolution(post, note) }
    notify('Post reopened', undo, reopened && { id, at: reopened.last_activity_at })
  } catch (error) {
    notifyProblem("Couldn't reopen the post.", error)
  }
}

const MAX_READING_MS = 3_000

/** The note of a resolution, which is gone once the post is reopened. Without it, there is none to restore. */
const readNote = (postId: string): Promise<string | undefined> =>
  Promise.race([
    getSource(sources.resolution(postId)).catch(() => undefined),
    new Promise<undefined>((resolve) => setTimeout(resolve, MAX_READING_MS)),
  ])

/** Resolves a post again with the resolution it had, unless it has a newer one by now. */
async function restoreResolution({ id, resolution }: Post, note: string | undefined) {
  const { resolved_by: by, resolved_at: at, resolved_comment } = resolution!
  try {
    await writeResolution({ post_id: id, by, at, note, comment_id: resolved_comment?.id, if_open: true })
  } catch (error) {
    if (error instanceof ApiError && error.code === 'already_resolved')
      notify('The post has been resolved by someone else')
    else notifyProblem("Couldn't restore the resolution.", error)
  }
}
