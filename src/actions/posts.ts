import type { Input } from '../contract'
import { invalidField, notFound, Problem } from '../contract/errors'
import type { Page } from '../contract/page'
import type { Post } from '../contract/posts'
import { titleFrom } from '../domain/markdown'
import { pageRequest } from '../domain/paging'
import { canEdit, type Viewer } from '../domain/permissions'
import { Recall } from '../records/memory'
import { toPost } from '../records/posts'
import { type Listing, type Remembered, recalledPage, remember, rememberedPage } from '../records/remembered'
import type { Sheet } from '../records/shelf'
import { type Written, writtenPage, writtenRecord } from '../records/written'
import { findChannel } from '../store/channels'
import { findComment } from '../store/comments'
import { branchesOf, findPlaces, type Place, totalOf } from '../store/post-ranges'
import {
  clearResolution,
  deletePost,
  findPost,
  findPostMarkdown,
  findPosts,
  insertPost,
  type PostRow,
  type PostSort,
  postRanges,
  setPostText,
  setResolution,
} from '../store/posts'
import type { ReadContext, Recalling, WriteContext } from './context'
import { announceMentions, written } from './text'

const posts: Remembered<PostRow, Post> = {
  kind: 'post',
  find: findPosts,
  keyOf: (row) => row.key,
  toRecord: toPost,
  factsOf: ({ published_at, last_activity_at, channel_key, is_listed, comments_count }) => ({
    published_at,
    last_activity_at,
    channel_key,
    is_listed,
    comments_count,
  }),
}

export async function list(context: ReadContext, input: Input<'posts.list'>): Promise<Written<Page<Post>>> {
  const request = pageAsked(input)
  const places = input.channel_id === undefined ? await placesOf(context) : await channelOf(context, input.channel_id)
  if (places.length === 0) return writtenPage([], { total_count: 0, next_cursor: null, prev_cursor: null })
  const listing = listingOf(context.viewer, places, request.sort, input.resolved)
  const page = await rememberedPage(context, posts, listing, request)
  return page ?? list({ ...context, memory: Recall.none }, input)
}

/** The same from memory alone, where all of it is remembered. */
export function recallList({ memory, viewer }: Recalling, input: Input<'posts.list'>) {
  const request = pageAsked(input)
  const places = memory.noted<readonly Place[]>(noteOf(input.channel_id))
  if (!places || places.length === 0) return undefined
  return recalledPage<Page<Post>>(memory, listingOf(viewer, places, request.sort, input.resolved), request)
}

const pageAsked = (input: Input<'posts.list'>) =>
  pageRequest<PostSort>(`posts.list ${input.channel_id ?? ''} ${input.resolved ?? ''}`, input, {
    sort: 'published_at',
    otherSorts: ['last_activity_at'],
    direction: 'desc',
  })

function listingOf(viewer: Viewer, places: readonly Place[], sort: PostSort, resolved?: boolean): Listing {
  const isRestless = sort === 'last_activity_at' || resolved !== undefined
  const filter = `${places.map(({ key }) => key)} ${resolved ?? ''}`
  return {
    name: { kind: 'post', of: '', sort, filter, isRestless },
    ranges: () => postRanges(branchesOf(viewer.workspace.key, places, resolved), sort),
    total: totalOf(places, resolved),
  }
}

const noteOf = (channelId: string | undefined) => (channelId === undefined ? 'places' : `channel ${channelId}`)

/** Where the viewer may look. */
const placesOf = ({ db, viewer, memory }: ReadContext): Promise<readonly Place[]> =>
  memory.noting(noteOf(undefined), () => findPlaces(db, viewer))

const channelOf = ({ db, viewer, memory }: ReadContext, id: string): Promise<readonly Place[]> =>
  memory.noting(noteOf(id), async () => {
    const channel = await findChannel(db, viewer, id)
    if (!channel) throw notFound('channel')
    return [channel]
  })

export async function get(context: ReadContext, { id }: Input<'posts.get'>) {
  const sheet = await seenSheet(context, id)
  return writtenRecord<Post>(sheet)
}

/** The same without the database, for a post that is remembered and that the viewer is known to see. */
export function recall({ memory }: Recalling, { id }: Input<'posts.get'>): Written<Post> | undefined {
  const sheet = recallSheet(memory, id)
  return sheet && writtenRecord(sheet)
}

export function recallSheet(memory: Recall, id: string): Sheet | undefined {
  const places = memory.noted<readonly Place[]>(noteOf(undefined))
  const sheet = places && memory.withId(id)
  return sheet && isIn(places, sheet) ? sheet : undefined
}

/** A post this viewer may see, as it is remembered. */
export async function seenSheet(context: ReadContext, id: string): Promise<Sheet> {
  const places = await placesOf(context)
  const known = context.memory.withId(id)
  if (known && isIn(places, known)) return known
  return remember(context, posts, await seenPost(context.db, context.viewer, id))
}

const isIn = (places: readonly Place[], { kind, facts }: Sheet): boolean =>
  kind === 'post' && places.some(({ key }) => (key === 0 ? facts.is_listed === 1 : facts.channel_key === key))

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
    title: cleanTitle(input.title) || titleFrom(text.markdown, text.names),
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
    ...(title !== undefined && { title: cleanTitle(title) || titleFrom(text.markdown, text.names) }),
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
