import { excerptOf } from '../../contract/browser/excerpt'
import { kindOf } from '../../contract/browser/kinds'
import { revisionOfEtag, revisionOfEvent } from '../../contract/browser/revisions'
import type { Comment } from '../../contract/comments'
import type { Follow, FollowLevel } from '../../contract/follows'
import type { Message } from '../../contract/messages'
import type { Author } from '../../contract/shapes'
import type { PostState, Preview, ThreadState, Unread } from '../../contract/unread'
import { notifyProblem } from '../parts/notices'
import { batchById } from './cache/batches'
import { keys } from './cache/keys'
import { getShown, optimistic, useShown } from './cache/optimistic'
import { cache, parley } from './cache/parley'
import { applyChanges, type Change, change, markStale, update } from './cache/records'

const NOTHING: Unread = { inbox_count: 0, channels: [], threads: [] }
const MAX_COUNT = 100

/** As of which revision of the workspace the counts are. Events up to it are counted already. */
let countedRevision = 0

async function loadUnread(): Promise<Unread> {
  const { data, response } = await parley.unread.get().withResponse()
  countedRevision = revisionOfEtag(response.headers.get('ETag'))
  return data
}

/** What is unread; nothing until it is loaded. */
export const useUnread = (): Unread =>
  useShown({ queryKey: keys.unread, queryFn: loadUnread, refetchOnWindowFocus: 'always' }).data ?? NOTHING

export const useInboxCount = () => useUnread().inbox_count

/** Unread messages in all threads that are not muted. */
export const useThreadsCount = () =>
  useUnread().threads.reduce((sum, { level, unread_count }) => sum + (level === 'none' ? 0 : unread_count), 0)

/** How the member follows a channel: as chosen, else only mentions. */
export const useChannelLevel = (id: string): FollowLevel =>
  useUnread().channels.find((channel) => channel.id === id)?.level ?? 'mentions'

/** The most ids of one request, as long as a page. */
const MAX_IDS = 50

const loadPostState = batchById<PostState | null>(
  async (ids) => new Map((await parley.unread.posts({ ids })).data.map((state) => [state.post_id, state])),
  null,
  MAX_IDS,
)
const loadThreadState = batchById<ThreadState | null>(
  async (ids) => new Map((await parley.unread.threads({ ids })).data.map((state) => [state.thread_id, state])),
  null,
  MAX_IDS,
)

/** What a post is to the member: whether it is unread, followed, pinned and saved, and the latest comment. */
export const usePostState = (id: string) =>
  useShown<PostState | null>({ queryKey: keys.postState(id), queryFn: () => loadPostState(id) })
export const useThreadState = (id: string) =>
  useShown<ThreadState | null>({ queryKey: keys.threadState(id), queryFn: () => loadThreadState(id) })

/** As they are shown. */
export const getPostState = (id: string) => getShown<PostState | null>(keys.postState(id)) ?? undefined
export const getThreadState = (id: string) => getShown<ThreadState | null>(keys.threadState(id)) ?? undefined

/** A change of what a post or thread is to the member. */
export const changeState = (id: string, changes: Partial<PostState & ThreadState>): Change[] =>
  [keys.postState(id), keys.threadState(id)].map((key) =>
    change<PostState | ThreadState | null>(key, (state) => state && { ...state, ...changes }),
  )

/** Loads what a post or thread is to the member again. A channel, or null, stands for many of them. */
export function markStateStale(id: string | null) {
  const kind = id === null ? 'channel' : kindOf(id)
  if (kind === 'post') markStale(keys.postState(id!))
  else if (kind === 'thread') markStale(keys.threadState(id!))
  else {
    markStale(keys.postStates)
    markStale(keys.threadStates)
  }
  markStale(keys.unread)
}

/** An event about something new that others wrote, or that the member wrote in another place. */
interface News {
  /** The id of the event; undefined if it is a response to the member. */
  eventId?: string
  isMine: boolean
}

const isCounted = ({ eventId }: News) => eventId !== undefined && revisionOfEvent(eventId) <= countedRevision
/** A response is as of its revision or a little later: what happened just before it arrived may be counted. */
const UNCERTAIN_MS = 1_000
const mayBeCounted = () => Date.now() - (cache.getQueryState(keys.unread)?.dataUpdatedAt ?? 0) < UNCERTAIN_MS

const countOne = (count: number) => Math.min(count + 1, MAX_COUNT)

const toPreview = ({ id, author, created_at, content }: Comment | Message): Preview => ({
  id,
  author,
  created_at,
  excerpt: excerptOf(content),
})

/** What someone writes is read by them, and everything before it. */
const withNews = <S extends PostState | ThreadState>(state: S, id: string, { isMine }: News): S =>
  isMine
    ? { ...state, is_unread: false, unread_count: 0, first_unread_id: null }
    : {
        ...state,
        is_unread: true,
        unread_count: countOne(state.unread_count),
        first_unread_id: state.first_unread_id ?? id,
      }

const MAX_COMMENTERS = 3
const withCommenter = (author: Author, before: readonly Author[]) =>
  [author, ...before.filter(({ id }) => id !== author.id)].slice(0, MAX_COMMENTERS)

/** Whoever comments on a post, or is mentioned there, follows it from then on, unless they chose otherwise. */
export function takePart(postId: string) {
  const state = cache.getQueryData<PostState | null>(keys.postState(postId))
  if (state && state.level !== 'all' && !state.is_level_chosen) markStale(keys.postState(postId))
}

/** Shows a new comment beside its post in lists, and counts it. `channelId` is that of the post, if it is known. */
export function countComment(comment: Comment, channelId: string | undefined, news: News) {
  const key = keys.postState(comment.subject_id)
  const state = cache.getQueryData<PostState | null>(key)
  const latest = state?.latest_comment
  // The response may have had this comment.
  const isKnown = latest && latest.created_at >= comment.created_at
  if (state && isKnown && latest.id !== comment.id) markStale(key)
  if (news.isMine) takePart(comment.subject_id)
  update<PostState | null>(key, (now) =>
    now && !isKnown
      ? {
          ...withNews(now, comment.id, news),
          latest_comment: toPreview(comment),
          commenters: withCommenter(comment.author, now.commenters),
        }
      : now,
  )
  const wasCounted = state?.is_unread === true && !news.isMine
  if (wasCounted || isCounted(news) || (news.isMine && state?.is_unread === false) || state?.level === 'none') return
  if (news.isMine || !state || isKnown || !channelId) markStale(keys.unread)
  else countPost(channelId, news)
}

/** One more post of a channel is unread. */
export function countPost(channelId: string, news: News) {
  if (news.isMine || isCounted(news)) return
  if (mayBeCounted()) return markStale(keys.unread)
  update<Unread>(keys.unread, (unread) => {
    const known = unread.channels.find(({ id }) => id === channelId)
    if (known?.level === 'none') return unread
    const counted = known
      ? { ...known, unread_count: countOne(known.unread_count) }
      : { id: channelId, unread_count: 1, level: 'mentions' as const }
    return { ...unread, channels: [...unread.channels.filter((each) => each !== known), counted] }
  })
}

/** The same for a message in a thread. */
export function countMessage(message: Message, news: News) {
  const key = keys.threadState(message.thread_id)
  const state = cache.getQueryData<ThreadState | null>(key)
  const latest = state?.last_message
  const isKnown = latest && latest.created_at >= message.created_at
  if (state && isKnown && latest.id !== message.id) markStale(key)
  update<ThreadState | null>(key, (now) =>
    now && !isKnown ? { ...withNews(now, message.id, news), last_message: toPreview(message) } : now,
  )
  const unread = cache.getQueryData<Unread>(keys.unread)
  const known = unread?.threads.find(({ id }) => id === message.thread_id)
  const level = known?.level ?? state?.level
  if (isCounted(news) || level === 'none' || (news.isMine && unread && !known)) return
  if (news.isMine || !level || (state?.is_unread && !known) || mayBeCounted()) return markStale(keys.unread)
  update<Unread>(keys.unread, (now) => ({
    ...now,
    threads: known
      ? now.threads.map((each) =>
          each.id === known.id ? { ...each, unread_count: countOne(each.unread_count) } : each,
        )
      : [{ id: message.thread_id, unread_count: 1, level }, ...now.threads],
  }))
}

/** Follows, unfollows or mutes a post, thread or channel: shown at once, undone if the request fails. */
export async function setLevel(subjectId: string, level: FollowLevel) {
  try {
    await optimistic(changesOfFollow({ subject_id: subjectId, level, is_chosen: true }), () =>
      parley.follows.set({ subject_id: subjectId, level }),
    )
  } catch (error) {
    notifyProblem("Couldn't save your choice.", error)
  }
}

function changesOfFollow({ subject_id, level, is_chosen }: Follow): Change[] {
  if (kindOf(subject_id) !== 'channel') return changeState(subject_id, { level, is_level_chosen: is_chosen })
  const set = (unread: Unread): Unread => {
    const known = unread.channels.find(({ id }) => id === subject_id)
    const unread_count = level === 'none' ? 0 : (known?.unread_count ?? 0)
    const others = unread.channels.filter((each) => each !== known)
    return { ...unread, channels: [...others, { id: subject_id, unread_count, level }] }
  }
  return [change(keys.unread, set)]
}

export function putFollow(follow: Follow) {
  applyChanges(changesOfFollow(follow))
  // How a channel is followed decides for its posts.
  markStateStale(follow.subject_id)
}
