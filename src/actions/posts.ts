import type { Input } from '../contract'
import { invalidField, notFound, Problem } from '../contract/errors'
import type { Post } from '../contract/posts'
import { asDeleted } from '../domain/deleted-records'
import { JsonText } from '../domain/json-text'
import { toTitle } from '../domain/names'
import { canEdit } from '../domain/permissions'
import { followWritten } from '../store/attention/follows'
import { readOwnActivity } from '../store/attention/reads'
import { deletePost } from '../store/changes/deletion'
import { findChannel } from '../store/content/channels'
import { findComment } from '../store/content/comments'
import {
  countPosts,
  findGroupsOfAuthor,
  findPostGroups,
  type PostGroup,
  postRanges,
} from '../store/content/post-ranges'
import {
  clearResolution,
  findPost,
  findPostMarkdown,
  findResolutionMarkdown,
  insertPost,
  type PostRow,
  readPostsPage,
  setPostText,
  setResolution,
  toPost,
} from '../store/content/posts'
import { findAppAuthor, findVisibleAuthors } from '../store/people/authors'
import { joinByWriting } from './channels'
import type { ReadContext, WriteContext } from './context'
import { EMPTY_LIST, listOf } from './list'
import { announceMentions, newlyMentioned } from './mentions'
import { checkItem, renderText, storeReferences, type Text } from './text'

export const list = listOf('posts.list', async (context, { channel_id, author_id, resolved }, request) => {
  const { db, viewer, links } = context
  const channel = channel_id === undefined ? undefined : await getChannel(context, channel_id)
  const authorKey = author_id === undefined ? undefined : await getAuthorKey(context, author_id)
  const groups = await findGroups(context, channel, authorKey)
  // A guest who is in no channel, or an author without posts.
  if (groups.length === 0) return EMPTY_LIST
  const ranges = postRanges(viewer, groups, request.sort, { resolved, authorKey })
  return { total: countPosts(groups, resolved), page: await readPostsPage(db, links.base, viewer, ranges, request) }
})

/** Where the listed posts are: everywhere, in one channel, or where an author has written. */
async function findGroups(
  { db, viewer }: ReadContext,
  channel: PostGroup | undefined,
  authorKey: number | undefined,
): Promise<PostGroup[]> {
  if (authorKey === undefined) return channel ? [channel] : findPostGroups(db, viewer)
  const groups = await findGroupsOfAuthor(db, viewer, authorKey)
  return channel ? groups.filter(({ key }) => key === channel.key) : groups
}

async function getAuthorKey({ db, viewer }: ReadContext, id: string): Promise<number> {
  const [known] = await findVisibleAuthors(db, viewer, [id])
  const author = known ?? (await findAppAuthor(db, viewer, id))
  if (!author) throw notFound('author')
  return author.key
}

async function getChannel({ db, viewer }: ReadContext, id: string): Promise<PostGroup> {
  const channel = await findChannel(db, viewer, id)
  if (!channel) throw notFound('channel')
  return channel
}

export async function get(context: ReadContext, { id }: Input<'posts.get'>) {
  return new JsonText<Post>((await getPost(context, id)).record)
}

/** A post this viewer may see. */
export async function getPost(
  { db, viewer, links }: Pick<ReadContext | WriteContext, 'db' | 'viewer' | 'links'>,
  id: string,
): Promise<PostRow> {
  const post = await findPost(db, viewer, links.base, id)
  if (!post) throw notFound('post')
  return post
}

export async function source(context: ReadContext, { id }: Input<'posts.get'>) {
  const post = await getPost(context, id)
  return findPostMarkdown(context.db, post.key)
}

export async function getResolution(context: ReadContext, { post_id }: Input<'posts.getResolution'>) {
  const { resolution } = toPost(await getPost(context, post_id))
  if (!resolution) throw notFound('resolution')
  return resolution
}

export async function resolutionSource(context: ReadContext, input: Input<'posts.getResolution'>) {
  await getResolution(context, input)
  const post = await getPost(context, input.post_id)
  return findResolutionMarkdown(context.db, post.key)
}

export async function create(context: WriteContext, input: Input<'posts.create'>) {
  const { db, viewer, now, newId } = context
  const channel = await findChannel(db, viewer, input.channel_id)
  if (!channel) throw invalidField('channel_id', 'There is no such channel, or you do not have access to it.')

  const { title, markdown } = readText(input)
  const id = newId('post')
  const text = await renderText(context, markdown, { place: 'channel', fileIds: input.file_ids })
  await joinByWriting(context, channel)
  const revision = await context.nextRevision()
  await insertPost(db, channel, {
    id,
    workspace_key: viewer.workspace.key,
    author_key: viewer.author.key,
    title: title || text.title,
    content: text.html,
    markdown: text.markdown,
    published_at: now,
    revision,
    via: viewer.via ?? null,
  })
  await storeReferences(context, text.files, async () => toReferrer(await getPost(context, id)))
  const post = await announcePost(context, 'post.created', id, newlyMentioned(text), { revision, isFollowed: true })
  await announceMentions(context, text, { subject_type: 'post', subject: post }, { channel_key: channel.key })
  return post
}

export async function update(context: WriteContext, input: Input<'posts.update'>) {
  const { db } = context
  const { id, title, content_markdown, file_ids } = input
  const post = await getEditablePost(context, id)
  const record = toPost(post)
  const isTextGiven = content_markdown !== undefined || (file_ids ?? []).length > 0
  if (title === undefined && !isTextGiven) return record

  const before = await findPostMarkdown(db, post.key)
  const given = readText({ title: record.title, content_markdown: before, ...withoutUndefined(input) })
  const { author_key } = post
  const findMarkdown = async () => before
  const old = { author_key, findMarkdown, html: record.content, referrer: toReferrer(post) }
  const text = await renderText(context, given.markdown, { place: 'channel', fileIds: file_ids, old })
  const next = {
    title: given.title || text.title,
    content: isTextGiven ? text.html : record.content,
    markdown: text.markdown,
  }
  const isEdited = next.title !== record.title || next.content !== record.content
  await setPostText(db, post.key, next, isEdited ? context.now : undefined)
  if (isTextGiven) await storeReferences(context, text.files, async () => toReferrer(post), record.content)
  const updated = await announcePost(context, 'post.updated', id, newlyMentioned(text))
  await announceMentions(context, text, { subject_type: 'post', subject: updated }, { channel_key: post.channel_key })
  return updated
}

/** The title and the text of a post. One of them may be empty; both may be empty if the post has files. */
function readText(given: Pick<Input<'posts.update'>, 'title' | 'content_markdown' | 'file_ids'>) {
  const title = toTitle(given.title ?? '')
  const markdown = given.content_markdown?.trim() ? given.content_markdown : ''
  if (title === '' && markdown === '' && !given.file_ids?.length)
    throw invalidField('content_markdown', 'Must not be blank in a post without a title.')
  return { title, markdown }
}

const withoutUndefined = (input: Input<'posts.update'>) =>
  Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined)) as typeof input

const toReferrer = ({ key, channel_key }: PostRow) => ({ type: 'post' as const, key, channel_key })

async function remove(context: WriteContext, { id }: Input<'posts.delete'>) {
  const post = await getEditablePost(context, id)

  await deletePost(context.db, post, context.now)
  context.announce('post.deleted', asDeleted('post', toPost(post)), { channel_key: post.channel_key })
  return undefined
}

export { remove as delete }

export async function resolve(context: WriteContext, input: Input<'posts.resolve'>) {
  const { db, viewer, links, now } = context
  const post = await getPost(context, input.post_id)
  if (input.if_open && post.is_resolved)
    throw new Problem('already_resolved', 'Someone has resolved the post in the meantime.')
  const comment =
    input.comment_id === undefined ? undefined : await findComment(db, viewer, links.base, input.comment_id)
  const answers = comment?.post_key === post.key && !comment.is_deleted
  if (input.comment_id !== undefined && !answers)
    throw invalidField('comment_id', 'There is no such comment on this post.')

  const note = input.content_markdown?.trim()
    ? await renderText(context, input.content_markdown, { place: 'channel' })
    : undefined
  const resolution = {
    resolved_at: now,
    resolved_html: note?.html ?? null,
    resolved_markdown: note?.markdown ?? null,
    resolved_by_key: viewer.author.key,
    resolved_comment_key: comment?.key ?? 0,
    resolved_via: viewer.via ?? null,
  }
  const revision = await context.nextRevision()
  await setResolution(db, post, resolution, revision)
  await storeNoteFiles(context, post, note?.files ?? [])
  return announcePost(context, 'post.resolved', post.id, note ? newlyMentioned(note) : {}, { revision })
}

export async function unresolve(context: WriteContext, { post_id }: Input<'posts.unresolve'>) {
  const post = await getPost(context, post_id)
  if (!post.is_resolved) return toPost(post)

  const revision = await context.nextRevision()
  await clearResolution(context.db, post, context.now, revision)
  await storeNoteFiles(context, post, [])
  return announcePost(context, 'post.unresolved', post.id, {}, { revision })
}

/** `post` is the row before the change, because its old note may reference other files. */
const storeNoteFiles = (context: WriteContext, post: PostRow, files: Text['files']) =>
  storeReferences(
    context,
    files,
    async () => ({ ...toReferrer(post), type: 'resolution' }),
    toPost(post).resolution?.resolved_html ?? '',
  )

export async function check(context: WriteContext, { post_id, item, ...change }: Input<'posts.check'>) {
  const { db } = context
  const post = await getEditablePost(context, post_id)
  const { id, title, content } = toPost(post)
  const checked = await checkItem(await findPostMarkdown(db, post.key), content, item, change)
  if (!checked) return toPost(post)

  await setPostText(db, post.key, { title, ...checked }, undefined)
  return announcePost(context, 'post.updated', id, {})
}

async function getEditablePost(context: WriteContext, id: string): Promise<PostRow> {
  const post = await getPost(context, id)
  if (!canEdit(context.viewer, post.author_key))
    throw new Problem('forbidden', 'Only the author or an admin can change a post.')
  return post
}

/** Announces a post as it is now, and what the viewer did to it as read by them. */
async function announcePost(
  context: WriteContext,
  type: 'post.created' | 'post.updated' | 'post.resolved' | 'post.unresolved',
  id: string,
  named: ReturnType<typeof newlyMentioned>,
  activity?: { revision: number; isFollowed?: boolean },
): Promise<Post> {
  const { db, viewer } = context
  const row = await getPost(context, id)
  const post = toPost(row)
  if (activity) await readOwnActivity(db, viewer, { kind: 'post', ...row }, activity.revision)
  if (activity?.isFollowed) await followWritten(db, viewer, row.key)
  context.announce(type, post, { channel_key: row.channel_key, ...named })
  return post
}
