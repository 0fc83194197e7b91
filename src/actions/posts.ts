import type { Input } from '../contract'
import { invalidField, notFound, Problem } from '../contract/errors'
import type { Page } from '../contract/page'
import type { Post } from '../contract/posts'
import { type PageRequest, pageRequest, toPage } from '../domain/paging'
import { canEdit } from '../domain/permissions'
import { toPost } from '../records/posts'
import { recordBytes, type Written, writtenPage, writtenRecord } from '../records/written'
import { findChannel } from '../store/channels'
import { findComment } from '../store/comments'
import { findPlaces, rangesOf } from '../store/post-ranges'
import {
  clearResolution,
  deletePost,
  findPost,
  findPostMarkdown,
  findPosts,
  insertPost,
  listPostStamps,
  listPosts,
  type PostRow,
  type PostSort,
  setPostText,
  setResolution,
} from '../store/posts'
import type { ReadContext, WriteContext } from './context'
import { announceMentions, written } from './text'

export async function list(context: ReadContext, input: Input<'posts.list'>) {
  const { db, viewer, memory, revision } = context
  const { channel_id, resolved } = input
  const request = pageRequest(`posts.list ${channel_id ?? ''} ${resolved ?? ''}`, input, {
    sort: 'published_at',
    otherSorts: ['last_activity_at'],
    direction: 'desc',
  })
  const channel = channel_id === undefined ? undefined : await findChannel(db, viewer, channel_id)
  if (channel_id !== undefined && !channel) throw notFound('channel')
  const remembered = channel ? undefined : memory.places.get(viewer, revision)
  if (remembered) return writtenPosts(context, request, rangesOf(viewer.workspace.key, remembered, resolved))

  const places = channel ? [channel] : await findPlaces(db, viewer)
  if (!channel) memory.places.set(viewer, revision, places)
  const { branches, total } = rangesOf(viewer.workspace.key, places, resolved)
  const found = branches.length > 0 ? await listPosts(db, branches, request) : { rows: [], behind: false }
  const { data, ...rest } = toPage(request, found, total, (row) => remember(context, row))
  return writtenPage<Page<Post>>(data, rest)
}

/** The same page, from records that are remembered; only those that are not are read. */
async function writtenPosts(
  context: ReadContext,
  request: PageRequest<PostSort>,
  { branches, total }: ReturnType<typeof rangesOf>,
): Promise<Written<Page<Post>>> {
  const { db, memory, namesRevision } = context
  const found = branches.length > 0 ? await listPostStamps(db, branches, request) : { rows: [], behind: false }
  const { data, ...rest } = toPage(request, found, total, (row) => row)
  const records = data.map(({ key, stamp }) => memory.posts.get(key, stamp, namesRevision))

  const missing = data.filter((_, at) => records[at] === undefined).map(({ key }) => key)
  if (missing.length > 0) {
    const read = new Map((await findPosts(db, missing)).map((row) => [row.key, row]))
    data.forEach(({ key }, at) => {
      const row = read.get(key)
      if (row) records[at] = remember(context, row)
    })
  }
  // On PostgreSQL a post may have gone between the two statements; then it is not on the page.
  return writtenPage(
    records.filter((bytes) => bytes !== undefined),
    rest,
  )
}

export async function get(context: ReadContext, { id }: Input<'posts.get'>) {
  const row = await seenPost(context.db, context.viewer, id)
  const known = context.memory.posts.get(row.key, row.stamp, context.namesRevision)
  return writtenRecord<Post>(known ?? remember(context, row))
}

/** Writes a post out, and keeps it for lists and for whoever asks for it again. */
function remember({ links, memory, namesRevision }: ReadContext, row: PostRow) {
  const bytes = recordBytes(toPost(links, row))
  memory.posts.set(row.key, row.stamp, namesRevision, bytes)
  return bytes
}

export async function source({ db, viewer }: ReadContext, { id }: Input<'posts.get'>) {
  const post = await seenPost(db, viewer, id)
  return findPostMarkdown(db, post.key)
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
    title: cleanTitle(input.title) || text.title,
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
    ...(title !== undefined && { title: cleanTitle(title) || text.title }),
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
  announce('post.deleted', toPost(links, post), { channel_key: post.channel_key })
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

async function seenPost(db: ReadContext['db'], viewer: ReadContext['viewer'], id: string): Promise<PostRow> {
  const post = await findPost(db, viewer, id)
  if (!post) throw notFound('post')
  return post
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

const cleanTitle = (title = '') => title.replace(/\s+/g, ' ').trim()
