import type { Input } from '../../contract'
import { notFound } from '../../contract/errors'
import type { Page } from '../../contract/page'
import type { Post } from '../../contract/posts'
import { pageRequest } from '../../domain/paging'
import type { Viewer } from '../../domain/permissions'
import { Recall } from '../../records/memory'
import { toPost } from '../../records/posts'
import { type Listing, type Remembered, recalledPage, remember, rememberedPage } from '../../records/remembered'
import type { Sheet } from '../../records/shelf'
import { type Written, writtenPage, writtenRecord } from '../../records/written'
import { findChannel } from '../../store/channels'
import { branchesOf, findPlaces, type Place, totalOf } from '../../store/post-ranges'
import { findPost, findPosts, type PostRow, type PostSort, postRanges } from '../../store/posts'
import type { ReadContext, Recalling } from '../context'

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

export async function seenPost(db: ReadContext['db'], viewer: ReadContext['viewer'], id: string): Promise<PostRow> {
  const post = await findPost(db, viewer, id)
  if (!post) throw notFound('post')
  return post
}
