import type { Input } from '../contract'
import type { Comment } from '../contract/comments'
import { invalidField, notFound, Problem } from '../contract/errors'
import type { Page } from '../contract/page'
import { pageRequest } from '../domain/paging'
import { canEdit, type Viewer } from '../domain/permissions'
import { type ShownComment, toComment } from '../records/comments'
import { Recall } from '../records/memory'
import { type Listing, type Remembered, recalledPage, rememberedPage } from '../records/remembered'
import type { Sheet } from '../records/shelf'
import type { Written } from '../records/written'
import {
  type CommentRow,
  commentRanges,
  deleteComment,
  findComment,
  findCommentCounts,
  findCommentMarkdown,
  findComments,
  insertComment,
  setCommentText,
} from '../store/comments'
import { findCommented } from '../store/posts'
import type { ReadContext, Recalling, WriteContext } from './context'
import { recallSheet, seenSheet } from './posts/reads'
import { announceMentions, type Text, written } from './text'

const comments: Remembered<CommentRow, Comment> = {
  kind: 'comment',
  find: findComments,
  keyOf: (row) => row.key,
  toRecord: toComment,
  factsOf: ({ created_at }) => ({ created_at }),
}

export async function list(context: ReadContext, input: Input<'comments.list'>): Promise<Written<Page<Comment>>> {
  const { db, viewer } = context
  const request = pageAsked(input)
  const post = await seenSheet(context, input.post_id)

  const { parentKey, total } = await chosenComments(db, viewer, post, input.parent_id)
  const page = await rememberedPage(context, comments, listingOf(viewer, post, parentKey, total), request)
  return page ?? list({ ...context, memory: Recall.none }, input)
}

/** All comments of a post, from memory alone. */
export function recallList({ memory, viewer }: Recalling, input: Input<'comments.list'>) {
  const request = pageAsked(input)
  const post = input.parent_id === undefined ? recallSheet(memory, input.post_id) : undefined
  if (!post) return undefined
  return recalledPage<Page<Comment>>(memory, listingOf(viewer, post, undefined, post.facts.comments_count!), request)
}

const pageAsked = (input: Input<'comments.list'>) =>
  pageRequest(`comments.list ${input.post_id} ${input.parent_id ?? ''}`, input, {
    sort: 'created_at',
    direction: 'asc',
  })

const listingOf = (viewer: Viewer, post: Sheet, parentKey: number | undefined, total: number): Listing => ({
  name: { kind: 'comment', of: post.id, sort: 'created_at', filter: String(parentKey ?? 'all') },
  ranges: () => commentRanges(viewer, post.key, parentKey),
  total,
})

/** All comments of a post, its top level (`root`), or the replies of one; and how many they are. */
async function chosenComments(db: ReadContext['db'], viewer: ReadContext['viewer'], post: Sheet, parentId?: string) {
  if (parentId === undefined) return { parentKey: undefined, total: post.facts.comments_count! }
  if (parentId === 'root') return { parentKey: 0, total: (await findCommentCounts(db, post.key)).root_comments_count }
  const parent = await findComment(db, viewer, parentId)
  if (parent?.post_key !== post.key) throw notFound('comment on this post')
  return { parentKey: parent.key, total: parent.replies_count }
}

export async function get({ db, viewer, links }: ReadContext, { id }: Input<'comments.get'>) {
  const comment = await findComment(db, viewer, id)
  if (!comment) throw notFound('comment')
  return toComment(links, comment)
}

export async function source({ db, viewer }: ReadContext, { id }: Input<'comments.get'>) {
  const comment = await findComment(db, viewer, id)
  if (!comment) throw notFound('comment')
  return findCommentMarkdown(db, comment.key)
}

export async function create(context: WriteContext, input: Input<'comments.create'>) {
  const { db, viewer, now, newId } = context
  const post = await findCommented(db, viewer, input.post_id)
  if (!post) throw notFound('post')
  const parent = input.parent_id === undefined ? undefined : await answeredComment(context, post.key, input.parent_id)

  const id = newId('cmt')
  const text = await written(context, input.content_markdown)
  await insertComment(db, {
    id,
    workspace_key: viewer.workspace.key,
    post_key: post.key,
    parent_key: parent?.key ?? 0,
    author_key: viewer.author.key,
    content: text.html,
    markdown: text.markdown,
    created_at: now,
  })
  return announced(context, 'comment.created', text, {
    id,
    content: text.html,
    created_at: now,
    replies_count: 0,
    parent_id: parent?.id ?? null,
    post_id: input.post_id,
    author: post.author,
    channel_key: post.channel_key,
  })
}

async function answeredComment({ db, viewer }: WriteContext, postKey: number, id: string): Promise<CommentRow> {
  const parent = await findComment(db, viewer, id)
  if (parent?.post_key !== postKey || parent.is_deleted)
    throw invalidField('parent_id', 'There is no such comment on this post.')
  if (parent.parent_key) throw invalidField('parent_id', 'It is a reply itself; replies go one level deep.')
  return parent
}

export async function update(context: WriteContext, { id, content_markdown }: Input<'comments.update'>) {
  const comment = await ownComment(context, id)

  const text = await written(context, content_markdown)
  const before = text.mentioned.length > 0 ? await findCommentMarkdown(context.db, comment.key) : ''
  await setCommentText(context.db, comment.key, { content: text.html, markdown: text.markdown })
  return announced(context, 'comment.updated', text, { ...comment, content: text.html }, before)
}

async function remove(context: WriteContext, { id }: Input<'comments.delete'>) {
  const comment = await ownComment(context, id)
  const parent =
    comment.parent_id === null ? undefined : await findComment(context.db, context.viewer, comment.parent_id)

  const { parentGoes } = await deleteComment(context.db, context.viewer, comment)
  announceDeleted(context, comment)
  // It was deleted before and only kept its place for replies: now that ends, too.
  if (parentGoes) announceDeleted(context, { ...parent!, replies_count: 0 })
  return undefined
}

/** `replies_count` says whether it keeps its place. */
const announceDeleted = ({ links, announce }: WriteContext, comment: CommentRow) =>
  announce('comment.deleted', toComment(links, { ...comment, content: '' }), { channel_key: comment.channel_key })

export { remove as delete }

async function ownComment({ db, viewer }: WriteContext, id: string): Promise<CommentRow> {
  const comment = await findComment(db, viewer, id)
  if (!comment || comment.is_deleted) throw notFound('comment')
  if (!canEdit(viewer, comment.author_key))
    throw new Problem('forbidden', 'Only its author or an admin may change a comment.')
  return comment
}

/** Tells of a comment, as it is now. */
async function announced(
  context: WriteContext,
  type: 'comment.created' | 'comment.updated',
  text: Text,
  row: ShownComment & Pick<CommentRow, 'channel_key'>,
  before?: string,
) {
  const comment = toComment(context.links, row)
  const place = { channel_key: row.channel_key }
  context.announce(type, comment, place)
  await announceMentions(context, text, { subject_type: 'comment', subject: comment }, place, before)
  return comment
}
