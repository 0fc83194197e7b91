import { type SqlBool, sql } from 'kysely'
import { attentionNumbers } from '../../domain/references'
import { canSeeChannel } from '../access/visibility'
import { prepare, type Reader } from '../engines/db'
import { levelNumbers } from './follows'
import type { LocatedNotification } from './notifications'
import { readUpTo } from './positions'

export interface Recipient {
  author_key: number
  is_named: boolean
  is_replied_to: boolean
  /** They have read beyond the event already. */
  is_read: boolean
}

const ALL = sql.lit(levelNumbers.all)
const MENTIONS = sql.lit(levelNumbers.mentions)
const CHANNEL = sql.lit(attentionNumbers.channel)

/**
 * Who gets an entry, by key, after a key: of those who can see the place at this moment, those who follow it, and those the event
 * names who have not muted it. Never who did it, apps, or who is deactivated.
 */
const statement = prepare((db, param, isThread: boolean, hasFollowers: boolean) => {
  const isNamed = db.syntax.isInJson('f.author_key', param<string>('named'))
  const level = sql`coalesce(own.level, place.level, ${isThread ? ALL : MENTIONS})`
  const isHeard = sql<SqlBool>`${level} >= CASE WHEN ${isNamed} THEN ${MENTIONS} ELSE ${ALL} END`
  const named = sql`SELECT key AS author_key FROM authors WHERE ${db.syntax.isInJson('authors.key', param<string>('named'))}`
  const followers = hasFollowers
    ? sql`${followersOf(param('type'), param('subject'), param('channel'))} UNION ${named}`
    : named
  const candidates = isThread
    ? sql`SELECT author_key FROM thread_members WHERE thread_key = ${param<number>('thread')}`
    : followers
  const canSee = isThread
    ? sql<SqlBool>`1 = 1`
    : sql<SqlBool>`EXISTS (SELECT 1 FROM channels AS c
      WHERE c.key = ${param<number>('channel')} AND ${canSeeChannel('c', { member: 'm' })})`
  return sql<Recipient>`SELECT f.author_key AS author_key, CASE WHEN ${isNamed} THEN 1 ELSE 0 END AS is_named,
      CASE WHEN f.author_key = ${param<number>('repliedTo')} THEN 1 ELSE 0 END AS is_replied_to,
      CASE WHEN ${readUpTo('own', 'place', 'm')} >= ${param<number>('revision')} THEN 1 ELSE 0 END AS is_read
    FROM (${candidates}) AS f
    JOIN members AS m ON m.author_key = f.author_key AND m.is_deactivated = 0
    LEFT JOIN attention AS own ON own.author_key = f.author_key
      AND own.subject_type = ${param<number>('type')} AND own.subject_key = ${param<number>('subject')}
    LEFT JOIN attention AS place ON place.author_key = f.author_key
      AND place.subject_type = ${CHANNEL} AND place.subject_key = ${param<number>('channel')}
    WHERE f.author_key > ${param<number>('after')} AND f.author_key <> ${param<number>('actor')}
      AND ${hasFollowers ? sql<SqlBool>`1 = 1` : isNamed} AND ${isHeard} AND ${canSee}
    ORDER BY f.author_key LIMIT ${param<number>('limit')}`
})

/** Who follows a subject or its channel. */
const followersOf = (type: number, subject: number, channel: number) =>
  sql`SELECT author_key FROM attention WHERE subject_type = ${type} AND subject_key = ${subject} AND level = ${ALL}
    UNION SELECT author_key FROM attention WHERE subject_type = ${CHANNEL} AND subject_key = ${channel} AND level = ${ALL}`

/** The next recipients of an event, after one of them. */
export function listRecipients(
  db: Reader,
  { rule, ...event }: LocatedNotification,
  after: number,
  limit: number,
): Promise<Recipient[]> {
  const isThread = rule.subject === 'thread'
  return statement(db, [isThread, rule.followers !== null], {
    ...{ after, limit, actor: event.actor_key, revision: event.revision },
    ...{ type: attentionNumbers[rule.subject], subject: event.subject_key, channel: event.channel_key },
    ...{ thread: event.thread_key, repliedTo: event.replied_to_key, named: `[${event.mentioned.slice(1, -1)}]` },
  })
}
