import { excerptOf } from '../contract/browser/excerpt'
import { MAX_UNREAD_COUNT, type PostState, type Preview, type ThreadState, type Unread } from '../contract/unread'
import type { Links } from '../domain/links'
import { timestampOrNull } from '../domain/timestamps'
import type { PostStateRow, ThreadStateRow } from '../store/attention/states'
import { levelNames, levelNumbers } from '../store/attention/subjects'
import type { UnreadChannelRow, UnreadThreadRow } from '../store/attention/unread-counts'

const MAX_COMMENTERS = 3

const levelOf = (number: number | null, otherwise: keyof typeof levelNumbers) =>
  levelNames[number ?? levelNumbers[otherwise]]!

const countOf = (count: number) => Math.min(Number(count), MAX_UNREAD_COUNT)

export const toUnreadChannel = (row: UnreadChannelRow): Unread['channels'][number] => ({
  id: row.id,
  unread_count: countOf(row.unread_count),
  level: levelOf(row.level, 'mentions'),
})

export const toUnreadThread = (row: UnreadThreadRow): Unread['threads'][number] => ({
  id: row.id,
  unread_count: countOf(row.unread_count),
  level: levelOf(row.level, 'all'),
})

const stateOf = (row: PostStateRow | ThreadStateRow) => ({
  is_unread: row.activity_revision > row.read_revision,
  unread_count: countOf(row.unread_count),
  first_unread_id: row.first_unread_id,
  is_level_chosen: row.level !== null && Boolean(row.is_level_chosen),
})

export const toPostState = (links: Links, row: PostStateRow): PostState => ({
  post_id: row.id,
  ...stateOf(row),
  level: levelOf(row.level ?? row.channel_level, 'mentions'),
  latest_comment: toPreview(links, row.latest),
  commenters: commentersOf(row.commenters).map((card) => links.author(card)),
  pinned_at: timestampOrNull(row.pinned_at),
  saved_at: timestampOrNull(row.saved_at),
  remind_at: timestampOrNull(row.remind_at),
})

export const toThreadState = (links: Links, row: ThreadStateRow): ThreadState => ({
  thread_id: row.id,
  ...stateOf(row),
  level: levelOf(row.level, 'all'),
  last_message: toPreview(links, row.latest),
})

/** What `latestOf` in store/attention/states.ts makes. */
function toPreview(links: Links, json: string | null): Preview | null {
  if (json === null) return null
  const { id, author, created_at, content } = JSON.parse(json) as {
    id: string
    author: object
    created_at: string
    content: string
  }
  return { id, author: links.author(JSON.stringify(author)), created_at, excerpt: excerptOf(content) }
}

/** The cards of those who commented, each once, the latest first. */
function commentersOf(cards: string | null): string[] {
  const all = JSON.parse(`[${cards ?? ''}]`) as object[]
  return [...new Set(all.map((card) => JSON.stringify(card)))].slice(0, MAX_COMMENTERS)
}
