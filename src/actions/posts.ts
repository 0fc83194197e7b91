import type { Input } from '../contract'
import { invalidField, notFound, Problem } from '../contract/errors'
import { toTitle } from '../domain/names'
import { canEdit } from '../domain/permissions'
import { toPost } from '../records/posts'
import { findChannel } from '../store/channels'
import { findComment } from '../store/comments'
import {
  clearResolution,
  deletePost,
  findPostMarkdown,
  findResolutionMarkdown,
  insertPost,
  type PostRow,
  setPostText,
  setResolution,
} from '../store/posts'
import type { ReadContext, WriteContext } from './context'
import { seenPost } from './posts/reads'
import { announceMentions, written } from './text'

export { get, list, recall, recallList } from './posts/reads'

export async function source({ db, viewer }: ReadContext, { id }: Input<'posts.get'>) {
  const post = await seenPost(db, viewer, id)
  return findPostMarkdown(db, post.key)
}

export async function getResolution({ db, viewer, links }: ReadContext, { post_id }: Input<'posts.getResolution'>) {
  const { resolution } = toPost(links, await seenPost(db, viewer, post_id))
  if (!resolution) throw notFound('resolution')
  return resolution
}

export async function resolutionSource(context: ReadContext, input: Input<'posts.getResolution'>) {
  await getResolution(context, input)
  const post = await seenPost(context.db, context.viewer, input.post_id)
  return findResolutionMarkdown(context.db, post.key)
}

export async function create(context: WriteContext, input: Input<'posts.create'>) {
  const { db, viewer, now, newId } = context
  const channel = await findChannel(db, viewer, input.channel_id)
  if (!channel) throw invalidField('channel_id', 'There is no such channel, or you may not see it.')

  const id = newId('post')
  const text = await written(context, input.content_markdown)
  await insertPost(db, channel, {
    id,
    workspace_key: viewer.workspace.key,
    author_key: viewer.author.key,
    title: toTitle(input.title ?? '') || text.title,
    content: text.html,
    markdown: text.markdown,
    published_at: now,
  })
  const post = await announced(context, 'post.created', id)
  await announceMentions(context, text, { subject_type: 'post', subject: post }, { channel_key: channel.key })
  return post
}

export async function update(context: WriteContext, { id, title, content_markdown }: Input<'posts.update'>) {
  const { db, links } = context
  const post = await ownPost(context, id)
  if (title === undefined && content_markdown === undefined) return toPost(links, post)

  const before = await findPostMarkdown(db, post.key)
  const text = await written(context, content_markdown ?? before)
  await setPostText(db, post.key, {
    ...(title !== undefined && { title: toTitle(title) || text.title }),
    ...(content_markdown !== undefined && { content: text.html, markdown: text.markdown }),
  })
  const updated = await announced(context, 'post.updated', id)
  await announceMentions(
    context,
    text,
    { subject_type: 'post', subject: updated },
    { channel_key: post.channel_key },
    before,
  )
  return updated
}

async function remove(context: WriteContext, { id }: Input<'posts.delete'>) {
  const { db, viewer, links, announce } = context
  const post = await ownPost(context, id)

  await deletePost(db, viewer, post)
  const emptied = { ...post, title: '', content: '', resolved_at: null }
  announce('post.deleted', toPost(links, emptied), { channel_key: post.channel_key })
  return undefined
}

export { remove as delete }

export async function resolve(context: WriteContext, input: Input<'posts.resolve'>) {
  const { db, viewer, now } = context
  const post = await seenPost(db, viewer, input.post_id)
  const comment = input.comment_id === undefined ? undefined : await findComment(db, viewer, input.comment_id)
  const answers = comment?.post_key === post.key && comment.is_deleted === 0
  if (input.comment_id !== undefined && !answers)
    throw invalidField('comment_id', 'There is no such comment on this post.')

  const note = input.content_markdown?.trim() ? input.content_markdown : null
  await setResolution(db, post, {
    resolved_at: now,
    resolved_html: note && (await written(context, note)).html,
    resolved_markdown: note,
    resolved_by_key: viewer.author.key,
    resolved_comment_key: comment?.key ?? 0,
  })
  return announced(context, 'post.resolved', post.id)
}

export async function unresolve(context: WriteContext, { post_id }: Input<'posts.unresolve'>) {
  const { db, viewer, links, now } = context
  const post = await seenPost(db, viewer, post_id)
  if (post.resolved_at === null) return toPost(links, post)

  await clearResolution(db, post, now)
  return announced(context, 'post.unresolved', post.id)
}

async function ownPost({ db, viewer }: WriteContext, id: string): Promise<PostRow> {
  const post = await seenPost(db, viewer, id)
  if (!canEdit(viewer, post.author_key))
    throw new Problem('forbidden', 'Only its author or an admin may change a post.')
  return post
}

async function announced(
  { db, viewer, links, announce }: WriteContext,
  type: 'post.created' | 'post.updated' | 'post.resolved' | 'post.unresolved',
  id: string,
) {
  const row = await seenPost(db, viewer, id)
  const post = toPost(links, row)
  announce(type, post, { channel_key: row.channel_key })
  return post
}
