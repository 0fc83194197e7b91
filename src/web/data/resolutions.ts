import type { Author } from '../../contract/authors'
import type { Comment } from '../../contract/comments'
import type { Post } from '../../contract/posts'
import { notify, notifyProblem } from '../parts/notices'
import { sources } from '../paths'
import { getSource } from './markdown'
import { parley } from './parley'
import { putPost } from './posts'

/** The comment a post is resolved with, if any. */
export interface Answer {
  comment?: Comment
}

/** Resolves a post: shown at once, undone if the request fails. */
export async function resolve(post: Post, by: Author, { comment }: Answer = {}) {
  const resolution = {
    resolved_at: new Date().toISOString(),
    resolved_by: by,
    resolved_html: null,
    resolved_comment: comment ?? null,
  }
  putPost({ ...post, resolution })
  try {
    putPost(await parley.posts.resolve({ post_id: post.id, comment_id: comment?.id }))
  } catch (error) {
    putPost(post)
    notifyProblem('The post was not resolved.', error)
  }
}

/** Resolves a post with a note. Not optimistic: the server renders the note. */
export async function resolveWithNote(post: Post, note: string, idempotencyKey: string) {
  putPost(await parley.posts.resolve({ post_id: post.id, content_markdown: note }, { idempotencyKey }))
}

/** Reopens a post without confirmation, and offers Undo. */
export async function reopen(post: Post) {
  putPost({ ...post, resolution: null })
  try {
    const note = post.resolution?.resolved_html ? await getSource(sources.resolution(post.id)) : undefined
    putPost(await parley.posts.unresolve({ post_id: post.id }))
    notify('Post reopened', { label: 'Undo', run: () => void restoreResolution(post, note) })
  } catch (error) {
    putPost(post)
    notifyProblem('The post was not reopened.', error)
  }
}

/** Resolves a post again with the resolution it had. */
async function restoreResolution({ id, resolution }: Post, note: string | undefined) {
  try {
    const comment_id = resolution!.resolved_comment?.id
    putPost(await parley.posts.resolve({ post_id: id, content_markdown: note, comment_id }))
  } catch (error) {
    notifyProblem('The resolution could not be restored.', error)
  }
}
