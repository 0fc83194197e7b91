import type { Input } from '../contract'
import type { Comment } from '../contract/comments'
import { invalidField, notFound, Problem } from '../contract/errors'
import { asDeleted } from '../domain/deleted-records'
import { JsonText } from '../domain/json-text'
import { canEdit, type Viewer } from '../domain/permissions'
import { followWritten } from '../store/attention/follows'
import { readOwnActivity } from '../store/attention/reads'
import { deleteComment } from '../store/changes/deletion'
import {
  type CommentRow,
  commentRanges,
  findComment,
  findCommentMarkdown,
  insertComment,
  readCommentsPage,
  setCommentText,
  toComment,
  toNewComment,
} from '../store/content/comments'
import { type CommentedPost, findCommentedPost } from '../store/content/posts'
import type { Reader } from '../store/engines/db'
import type { ReadContext, WriteContext } from './context'
import { listOf } from './list'
import { announceMentions, newlyMentioned } from './mentions'
import { checkItem, renderContent, storeReferences, type Text } from './text'

export const list = listOf('comments.list', async (context, { post_id, parent_id }, request) => {
  const { db, viewer, links } = context
  const post = await findCommentedPost(db, viewer, post_id)
  if (!post) throw notFound('post')
  const { parentKey, total } = await chooseComments(context, post, parent_id)
  const ranges = commentRanges(viewer, post.key, parentKey)
  return { total, page: await readCommentsPage(db, links.base, viewer, ranges, request) }
})

/** Which comments to list, and how many there are: all of a post, its top level (`root`), or the replies of one. */
async function chooseComments(context: ReadContext, post: CommentedPost, parentId?: string) {
  if (parentId === undefined) return { parentKey: undefined, total: post.comments_count }
  if (parentId === 'root') return { parentKey: 0, total: post.root_comments_count }
  const parent = await findComment(context.db, context.viewer, context.links.base, parentId)
  if (parent?.post_key !== post.key) throw notFound('comment on this post')
  return { parentKey: parent.key, total: parent.replies_count }
}

type Lookup = Pick<ReadContext | WriteContext, 'db' | 'viewer' | 'links'>

async function getComment({ db, viewer, links }: Lookup, id: string): Promise<CommentRow> {
  const comment = await findComment(db, viewer, links.base, id)
  if (!comment) throw notFound('comment')
  return comment
}

export async function get(context: ReadContext, { id }: Input<'comments.get'>) {
  return new JsonText<Comment>((await getComment(context, id)).record)
}

export async function source(context: ReadContext, { id }: Input<'comments.get'>) {
  return findCommentMarkdown(context.db, (await getComment(context, id)).key)
}

export const findPostToComment = (
  db: Reader,
  viewer: Viewer,
  { post_id }: Input<'comments.create'>,
): Promise<Pick<CommentedPost, 'key' | 'channel_key'> | undefined> => findCommentedPost(db, viewer, post_id)

export async function create(context: WriteContext, input: Input<'comments.create'>) {
  const { db, viewer, links, now, newId } = context
  const post = await context.lookUp(() => findPostToComment(db, viewer, input))
  if (!post) throw notFound('post')
  const parent = input.parent_id === undefined ? undefined : await getParent(context, post.key, input.parent_id)

  const text = await renderContent(context, input, 'channel')
  const comment = {
    id: newId('cmt'),
    content: text.html,
    created_at: now,
    parent_id: parent?.id ?? null,
    post_id: input.post_id,
  }
  const revision = await context.nextRevision()
  await insertComment(db, {
    ...comment,
    workspace_key: viewer.workspace.key,
    post_key: post.key,
    parent_key: parent?.key ?? 0,
    author_key: viewer.author.key,
    revision,
    markdown: text.markdown,
    via: viewer.via ?? null,
  })
  await storeReferences(context, text.files, async () => toReferrer(await getComment(context, comment.id)))
  await readOwnActivity(db, viewer, { kind: 'post', ...post }, revision)
  await followWritten(db, viewer, post.key)
  const record = toNewComment(links, comment, viewer.author.stored)
  return announceComment(context, 'comment.created', record, post.channel_key, text)
}

async function getParent({ db, viewer, links }: WriteContext, postKey: number, id: string): Promise<CommentRow> {
  const parent = await findComment(db, viewer, links.base, id)
  if (parent?.post_key !== postKey || parent.is_deleted)
    throw invalidField('parent_id', 'There is no such comment on this post.')
  if (parent.parent_key) throw invalidField('parent_id', 'This comment is a reply, and replies cannot have replies.')
  return parent
}

export async function update(context: WriteContext, input: Input<'comments.update'>) {
  const { db } = context
  const comment = await getEditableComment(context, input.id)

  const old = toComment(comment)
  const { author_key } = comment
  const findMarkdown = () => findCommentMarkdown(db, comment.key)
  const replaced = { author_key, findMarkdown, html: old.content, referrer: toReferrer(comment) }
  const text = await renderContent(context, input, 'channel', replaced)
  const record: Comment = { ...old, content: text.html }
  const { content } = record
  const editedAt = content === old.content ? undefined : context.now
  await setCommentText(db, comment.key, { content, markdown: text.markdown }, editedAt)
  await storeReferences(context, text.files, async () => toReferrer(comment), old.content)
  return announceComment(context, 'comment.updated', record, comment.channel_key, text)
}

const toReferrer = ({ key, channel_key }: CommentRow) => ({ type: 'comment' as const, key, channel_key })

export async function check(context: WriteContext, { comment_id, item, ...change }: Input<'comments.check'>) {
  const { db } = context
  const comment = await getEditableComment(context, comment_id)
  const old = toComment(comment)
  const checked = await checkItem(await findCommentMarkdown(db, comment.key), old.content, item, change)
  if (!checked) return old

  await setCommentText(db, comment.key, checked, undefined)
  const record: Comment = { ...old, content: checked.content }
  context.announce('comment.updated', record, { channel_key: comment.channel_key })
  return record
}

async function remove(context: WriteContext, { id }: Input<'comments.delete'>) {
  const { db, viewer, links } = context
  const comment = await getEditableComment(context, id)
  const { parent_id } = toComment(comment)
  const parent = parent_id === null ? undefined : await findComment(db, viewer, links.base, parent_id)

  const { isParentDeleted } = await deleteComment(db, viewer, comment, context.now)
  announceDeleted(context, toComment(comment), comment.channel_key)
  // The parent was deleted earlier and only kept for its replies. This was the last one.
  if (isParentDeleted) announceDeleted(context, { ...toComment(parent!), replies_count: 0 }, comment.channel_key)
  return undefined
}

/** `replies_count` says whether it is kept, without content, for its replies. */
const announceDeleted = ({ announce }: WriteContext, comment: Comment, channel_key: number) =>
  announce('comment.deleted', asDeleted('comment', comment), { channel_key })

export { remove as delete }

async function getEditableComment(context: WriteContext, id: string): Promise<CommentRow> {
  const comment = await getComment(context, id)
  if (comment.is_deleted) throw notFound('comment')
  if (!canEdit(context.viewer, comment.author_key))
    throw new Problem('forbidden', 'Only the author or an admin can change a comment.')
  return comment
}

async function announceComment(
  context: WriteContext,
  type: 'comment.created' | 'comment.updated',
  comment: Comment,
  channel_key: number,
  text: Text,
): Promise<Comment> {
  context.announce(type, comment, { channel_key, ...newlyMentioned(text) })
  await announceMentions(context, text, { subject_type: 'comment', subject: comment }, { channel_key })
  return comment
}
