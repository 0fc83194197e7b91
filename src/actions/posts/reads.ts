import type { Input } from '../../contract'
import { notFound } from '../../contract/errors'
import type { Post } from '../../contract/posts'
import { JsonText } from '../../domain/json-text'
import { findAppAuthor, findVisibleAuthors } from '../../store/authors'
import { findChannel } from '../../store/channels'
import { countPosts, findPostSources, findSourcesOfAuthor, type PostSource, postRanges } from '../../store/post-ranges'
import { findPost, type PostRow, readPostsPage } from '../../store/posts'
import type { ReadContext, WriteContext } from '../context'
import { EMPTY_LIST, listOf } from '../list'

export const list = listOf('posts.list', async (context, { channel_id, author_id, resolved }, request) => {
  const { db, viewer, links } = context
  const channel = channel_id === undefined ? undefined : await getChannel(context, channel_id)
  const authorKey = author_id === undefined ? undefined : await getAuthorKey(context, author_id)
  const sources = await findSources(context, channel, authorKey)
  // A guest who is in no channel, or an author without posts.
  if (sources.length === 0) return EMPTY_LIST
  const ranges = postRanges(viewer, sources, request.sort, { resolved, authorKey })
  return { total: countPosts(sources, resolved), page: await readPostsPage(db, links.base, viewer, ranges, request) }
})

/** Where the listed posts are: everywhere, in one channel, or where an author has written. */
async function findSources(
  { db, viewer }: ReadContext,
  channel: PostSource | undefined,
  authorKey: number | undefined,
): Promise<PostSource[]> {
  if (authorKey === undefined) return channel ? [channel] : findPostSources(db, viewer)
  const sources = await findSourcesOfAuthor(db, viewer, authorKey)
  return channel ? sources.filter(({ key }) => key === channel.key) : sources
}

async function getAuthorKey({ db, viewer }: ReadContext, id: string): Promise<number> {
  const [known] = await findVisibleAuthors(db, viewer, [id])
  const author = known ?? (await findAppAuthor(db, viewer, id))
  if (!author) throw notFound('author')
  return author.key
}

async function getChannel({ db, viewer }: ReadContext, id: string): Promise<PostSource> {
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
