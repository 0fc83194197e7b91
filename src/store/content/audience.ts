import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { MAX_AUDIENCE_COUNTED, MAX_WITHOUT_ACCESS } from '../../contract/audience'
import type { Viewer } from '../../domain/permissions'
import { type AttentionSubject, attentionNumbers } from '../../domain/references'
import { canSeeChannel } from '../access/visibility'
import { levelNumbers } from '../attention/follows'
import { ONLINE_MS } from '../attention/inbox-fan-out'
import { type ParamFor, prepare, type Reader } from '../engines/db'
import { storedAuthor } from '../lists/record-json'

const CHANNEL = sql.lit(attentionNumbers.channel)
const THREAD = sql.lit(attentionNumbers.thread)
const ALL = sql.lit(levelNumbers.all)
const MAX = sql.lit(MAX_AUDIENCE_COUNTED)
/** So many members of a channel are looked at to find those who are online. */
const MAX_SCANNED = 10_000

interface SubjectParams {
  kind: number
  key: number
  channel: number
  me: number
}

const subjectParams = (param: ParamFor): SubjectParams => ({
  kind: param<number>('kind'),
  key: param<number>('key'),
  channel: param<number>('channel'),
  me: param<number>('me'),
})

const valuesFor = (viewer: Viewer, { kind, key, channel_key }: AttentionSubject): SubjectParams => ({
  kind: attentionNumbers[kind],
  key,
  channel: channel_key,
  me: viewer.author.key,
})

/** Whether the member `m` can see what is written there. */
const hasAccess = ({ kind, key, channel }: SubjectParams) => sql<SqlBool>`CASE WHEN ${kind} = ${THREAD}
  THEN EXISTS (SELECT 1 FROM thread_members AS tm WHERE tm.thread_key = ${key} AND tm.author_key = m.author_key)
  ELSE EXISTS (SELECT 1 FROM channels AS c WHERE c.key = ${channel} AND ${canSeeChannel('c', { member: 'm' })}) END`

/** Who is in a channel or takes part in a thread, and whether everyone but guests can read there. */
export async function findPlace(db: Reader, { channel_key, thread_key }: AttentionSubject) {
  if (thread_key !== 0) {
    const { count, direct_pair } = await db
      .selectFrom('threads as t')
      .where('t.key', '=', thread_key)
      .select((eb) => [
        't.direct_pair',
        eb
          .selectFrom('thread_members as tm')
          .whereRef('tm.thread_key', '=', 't.key')
          .select(sql<number>`count(*)`.as('count'))
          .as('count'),
      ])
      .executeTakeFirstOrThrow()
    return { members_count: count ?? 0, is_public: false, is_direct: direct_pair !== null, creator_id: null }
  }
  const channel = await db
    .selectFrom('channels')
    .where('key', '=', channel_key)
    .select(['members_count', 'is_private', 'creator_id'])
    .executeTakeFirstOrThrow()
  const { members_count, is_private, creator_id } = channel
  return { members_count, is_public: !is_private, is_direct: false, creator_id }
}

const followers = prepare((_, param) => {
  const subject = subjectParams(param)
  // Each is cut before the rest is looked at, however many there are.
  const following = (kind: unknown, key: number) =>
    sql`SELECT author_key FROM (SELECT f.author_key FROM follows AS f WHERE f.kind = ${kind} AND f.subject_key = ${key}
      AND f.level = ${ALL} LIMIT ${sql.lit(2 * MAX_AUDIENCE_COUNTED)}) AS following`
  return sql<{ count: number }>`SELECT count(*) AS count FROM (SELECT m.author_key
    FROM (${following(subject.kind, subject.key)} UNION ${following(CHANNEL, subject.channel)}
      UNION SELECT tm.author_key FROM thread_members AS tm WHERE ${subject.kind} = ${THREAD} AND tm.thread_key = ${subject.key}) AS f
    JOIN members AS m ON m.author_key = f.author_key AND m.is_deactivated = 0
    WHERE m.author_key <> ${subject.me} AND ${hasAccess(subject)} LIMIT ${MAX}) AS counted`
})

/** How many others follow it, or the channel it is in; of a thread, how many others take part in it. */
export const countFollowers = async (db: Reader, viewer: Viewer, subject: AttentionSubject): Promise<number> =>
  (await followers(db, [], { ...valuesFor(viewer, subject) }))[0]!.count

const everyone = prepare((_, param, isOnline: boolean) => {
  const subject = subjectParams(param)
  return sql<{ count: number }>`SELECT count(*) AS count FROM (SELECT m.author_key
    FROM (SELECT cm.author_key FROM channel_members AS cm WHERE cm.channel_key = ${subject.channel}
      LIMIT ${sql.lit(MAX_SCANNED)}) AS inside
    JOIN members AS m ON m.author_key = inside.author_key AND m.is_deactivated = 0
      ${isOnline ? sql`AND m.last_seen_at >= ${param<number>('seenAfter')} AND m.last_seen_at > m.created_at` : sql``}
    WHERE m.author_key <> ${subject.me} LIMIT ${MAX}) AS counted`
})

/** How many others `<@channel>` or `<@here>` means. */
export const countEveryone = async (
  db: Reader,
  viewer: Viewer,
  subject: AttentionSubject,
  { isOnline, now }: { isOnline: boolean; now: number },
): Promise<number> =>
  (await everyone(db, [isOnline], { ...valuesFor(viewer, subject), seenAfter: now - ONLINE_MS }))[0]!.count

/** Members and groups that a text mentions, each by a number of the caller's. */
export interface Asked {
  members: { at: number; key: number }[]
  groups: { at: number; key: number }[]
}

/** The people these are, once each, as `each_of`, with the member `m`. */
const peopleOf = (db: Pick<Reader, 'syntax'>, param: ParamFor): RawBuilder<unknown> => {
  const rows = (name: string) => db.syntax.rowsOfJson(param<string>(name), { at: 'int', key: 'int' })
  return sql`(SELECT asked.at, asked.key AS author_key FROM ${rows('members')} AS asked
      UNION ALL SELECT asked.at, gm.author_key FROM ${rows('groups')} AS asked
        JOIN group_members AS gm ON gm.group_key = asked.key) AS each_of
    JOIN members AS m ON m.author_key = each_of.author_key AND m.is_deactivated = 0 AND m.author_key <> ${param<number>('me')}`
}

/** How many each mention reaches and does not; and, in rows of their own, the first of those whom it does not. */
const reached = prepare((db, param) => {
  const subject = subjectParams(param)
  return sql<{
    at: number
    place: number
    reached: number
    without_access: number
    author: string
  }>`WITH found AS MATERIALIZED (
      SELECT each_of.at, m.author_key, CASE WHEN ${hasAccess(subject)} THEN 1 ELSE 0 END AS has_access FROM ${peopleOf(db, param)})
    SELECT found.at AS at, 0 AS place, sum(found.has_access) AS reached, sum(1 - found.has_access) AS without_access, '' AS author
    FROM found GROUP BY found.at
    UNION ALL SELECT hidden.at, hidden.place, 0, 0, ${storedAuthor('a')} FROM (SELECT found.at, found.author_key,
        row_number() OVER (PARTITION BY found.at ORDER BY found.author_key) AS place FROM found WHERE found.has_access = 0) AS hidden
      JOIN authors AS a ON a.key = hidden.author_key WHERE hidden.place <= ${sql.lit(MAX_WITHOUT_ACCESS)}
    ORDER BY at, place`
})

/**
 * How many people each mention reaches, and who of them cannot see the text: one statement, however many are mentioned. Who has
 * muted the place is private, so nothing here depends on it.
 */
export async function findReached(db: Reader, viewer: Viewer, subject: AttentionSubject, { members, groups }: Asked) {
  if (members.length + groups.length === 0) return { counts: [], withoutAccess: [] }
  const keys = (asked: Asked['members']) => JSON.stringify(asked.map(({ at, key }) => [at, key]))
  const values = { ...valuesFor(viewer, subject), members: keys(members), groups: keys(groups) }
  const rows = await reached(db, [], values)
  return { counts: rows.filter(({ place }) => place === 0), withoutAccess: rows.filter(({ place }) => place > 0) }
}
