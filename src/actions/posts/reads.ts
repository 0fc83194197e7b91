import type { Input } from '../../contract'
import { notFound } from '../../contract/errors'
import type { Post } from '../../contract/posts'
import { JsonText } from '../../domain/json-text'
import { findChannel } from '../../store/channels'
import { countPosts, findPostSources, type PostSource, postRanges } from '../../store/post-ranges'
import { findPost, type PostRow, readPostsPage } from '../../store/posts'
import type { ReadContext, WriteContext } from '../context'
import { EMPTY_LIST, listOf } from '../list'

export const list = listOf('posts.list', async (context, { channel_id, resolved }, request) => {
  const { db, viewer, links } = context
  const sources = channel_id === undefined ? await findPostSources(db, viewer) : [await getChannel(context, channel_id)]
  // A guest who is in no channel.
  if (sources.length === 0) return EMPTY_LIST
  const ranges = postRanges(viewer, sources, request.sort, resolved)
  return { total: countPosts(sources, resolved), page: await readPostsPage(db, links.base, viewer, ranges, request) }
})

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
