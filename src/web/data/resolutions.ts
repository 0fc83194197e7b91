import { ApiError } from '../../client'
import type { Comment } from '../../contract/comments'
import type { Post } from '../../contract/posts'
import type { Author } from '../../contract/shapes'
import { dismissOutdatedNotice, notify, notifyProblem } from '../parts/notices'
import { sources } from '../paths'
import { getSource } from './markdown'
import { parley } from './parley'
import { putPost } from './posts'

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
