import { sql } from 'kysely'
import { type SearchType, searchTypes } from '../../contract/search'
import { seesPublic, type Viewer } from '../../domain/permissions'
import { kindNumbers } from '../../domain/references'
import { canSeeChannel, viewerKeysOf, viewerParams } from '../access/visibility'
import { prepare, type Reader } from '../engines/db'
import type { BuildCondition, MatchCondition } from '../engines/search/search-index'

/** With more channels or threads, the query names none of them: the condition on each match decides alone. */
const MAX_SCOPE_WORDS = 300

/** Up to this share, messages are not told apart: few matches are messages that the viewer cannot see. */
const MAX_MESSAGES = 0.25

/** About how much there is of each. */
const sizes = prepare(
  () => sql<{ workspaces: number; messages: number; others: number }>`SELECT
    (SELECT count(*) FROM (SELECT 1 FROM workspaces LIMIT 2) AS found) AS workspaces,
    (SELECT coalesce(max(key), 0) FROM messages) AS messages,
    (SELECT coalesce(max(key), 0) FROM posts) + (SELECT coalesce(max(key), 0) FROM comments) AS others`,
)

/** The filters of a search. Lists mean any of these; undefined means all. */
export interface ScopeFilter {
  types?: readonly SearchType[]
  channels?: readonly number[]
  thread?: number
  authors?: readonly number[]
  notChannels: readonly number[]
  notAuthors: readonly number[]
}

export interface Scope {
  scope: (readonly string[])[]
  outOfScope: readonly string[]
}

/**
 * The words that narrow a search down, so that little is read that the viewer cannot see. Undefined if nothing can match. It
 * is for speed only, but for the types and authors of the filter: each match is checked, see `matchCondition`. There is at least one
 * group if there are no words to look for.
 */
export async function findScope(
  db: Reader,
  viewer: Viewer,
  filter: ScopeFilter,
  hasWords: boolean,
): Promise<Scope | undefined> {
  const { authors, channels, thread, notChannels, notAuthors } = filter
  const types = typesOf(filter)
  const [size] = await sizes(db, [], {})
  const isAnywhere = !channels && !thread && seesPublic(viewer)
  // Reading along a long list of almost all records takes longer than to check a few matches too many.
  const isUnlimited = hasWords && isAnywhere && !filter.types && size!.messages < MAX_MESSAGES * size!.others
  const groups = [
    ...(size!.workspaces > 1 ? [[scopeWords.workspace(viewer.workspace.key)]] : []),
    ...(isUnlimited ? [] : [await findScopeWords(db, viewer, filter, types)]),
    ...(isAnywhere ? [] : [types.map(scopeWords.type)]),
    ...(authors ? [authors.map(scopeWords.author)] : []),
  ]
  if (groups.some((group) => group.length === 0)) return undefined
  const outOfScope = [...notChannels.map(scopeWords.channel), ...notAuthors.map(scopeWords.author)]
  return { scope: groups, outOfScope }
}

/** The types that the channels or the thread of the filter can hold. */
function typesOf({ types = searchTypes, channels, thread }: ScopeFilter): readonly SearchType[] {
  if (thread && channels) return []
  if (thread) return types.filter((type) => type === 'message')
  return channels ? types.filter((type) => type !== 'message') : types
}

/** The words of the channels and threads to search in: the ones in the filter, or all that the viewer may see. */
async function findScopeWords(
  db: Reader,
  viewer: Viewer,
  { channels, thread }: ScopeFilter,
  types: readonly SearchType[],
): Promise<string[]> {
  if (thread) return [scopeWords.thread(thread)]
  if (channels) return channels.map(scopeWords.channel)
  const inChannels = types.filter((type) => type !== 'message')
  const words: string[] = []
  if (inChannels.length > 0) words.push(...((await findOwnChannels(db, viewer)) ?? inChannels.map(scopeWords.type)))
  if (types.includes('message')) words.push(...((await findOwnThreads(db, viewer)) ?? [scopeWords.type('message')]))
  return words
}

const ownMemberships = prepare((db, param, type: 'channel' | 'thread') =>
  db
    .selectFrom(`${type}_members`)
    .where('workspace_key', '=', param<number>('workspace'))
    .where('author_key', '=', param<number>('me'))
    .select(sql.ref<number>(`${type}_key`).as('key'))
    .limit(sql.lit(MAX_SCOPE_WORDS + 1)),
)

/** The words of the channels or threads that the viewer was added to; undefined if there are too many. */
async function findMembershipWords(
  db: Reader,
  viewer: Viewer,
  type: 'channel' | 'thread',
): Promise<string[] | undefined> {
  const rows = await ownMemberships(db, [type], { workspace: viewer.workspace.key, me: viewer.author.key })
  return rows.length > MAX_SCOPE_WORDS ? undefined : rows.map(({ key }) => scopeWords[type](key))
}

/** The channels of a guest; undefined if the viewer also sees public channels, or if there are too many. */
const findOwnChannels = async (db: Reader, viewer: Viewer): Promise<string[] | undefined> =>
  seesPublic(viewer) ? undefined : findMembershipWords(db, viewer, 'channel')

const findOwnThreads = (db: Reader, viewer: Viewer): Promise<string[] | undefined> =>
  findMembershipWords(db, viewer, 'thread')

export interface ConditionFilter {
  resolved?: boolean
  /** Milliseconds; the first is included, the other is not. */
  createdAfter?: number
  createdBefore?: number
}

/** Up to so many channels, the visible ones are found once, which is faster than a look-up for each match. */
const MAX_CHANNELS = 500

/** Matches are restricted by the same rules as everywhere, with the viewer's current rights. */
const build: BuildCondition = (param, [sees, state, time]) => {
  const viewer = viewerParams(param, sees === 'public')
  const isOpen = canSeeChannel('c', viewer)
  const channels = sql`channels AS c WHERE c.workspace_key = ${viewer.workspace}`
  const areFew = sql`(SELECT count(*) FROM (SELECT 1 FROM ${channels} LIMIT ${sql.lit(MAX_CHANNELS + 1)}) AS counted) <= ${sql.lit(MAX_CHANNELS)}`
  const isVisible = sql`CASE WHEN d.type = ${sql.lit(kindNumbers.message)}
    THEN EXISTS (SELECT 1 FROM thread_members AS mine
      WHERE mine.thread_key = d.place_key AND mine.author_key = ${viewer.me})
    WHEN ${areFew} THEN d.place_key IN (SELECT c.key FROM ${channels} AND ${isOpen})
    ELSE EXISTS (SELECT 1 FROM channels AS c WHERE c.key = d.place_key AND ${isOpen}) END`
  const conditions = [sql`d.workspace_key = ${viewer.workspace}`, isVisible]
  if (time === 'limited')
    conditions.push(
      sql`d.created_at >= ${param<number>('createdAfter')} AND d.created_at < ${param<number>('createdBefore')}`,
    )
  if (state !== 'any')
    conditions.push(sql`EXISTS (SELECT 1 FROM posts AS p
      WHERE p.key = d.post_key AND p.is_resolved = ${sql.lit(state === 'resolved' ? 1 : 0)})`)
  return sql`${sql.join(conditions, sql` AND `)}`
}

export function matchCondition(viewer: Viewer, filter: ConditionFilter): MatchCondition {
  const { workspace, me, seesPublic } = viewerKeysOf(viewer)
  const { resolved, createdAfter = Number.MIN_SAFE_INTEGER, createdBefore = Number.MAX_SAFE_INTEGER } = filter
  const isLimited = filter.createdAfter !== undefined || filter.createdBefore !== undefined
  const state = resolved === undefined ? 'any' : resolved ? 'resolved' : 'open'
  return {
    build,
    shape: [seesPublic ? 'public' : 'own', state, isLimited ? 'limited' : 'unlimited'],
    values: { workspace, me, createdAfter, createdBefore },
  }
}

const names = Object.fromEntries(Object.entries(kindNumbers).map(([name, number]) => [number, name]))

export const typeNamed = (number: number): SearchType => names[number] as SearchType

/** The words that narrow a search down. They begin with a capital, which no word of a text does. */
export const scopeWords = {
  workspace: (key: number) => `W${key}`,
  channel: (key: number) => `C${key}`,
  thread: (key: number) => `D${key}`,
  author: (key: number) => `A${key}`,
  type: (type: SearchType) => `K${type}`,
}
