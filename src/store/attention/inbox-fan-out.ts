import { type SqlBool, sql } from 'kysely'
import { isEveryone } from '../../contract/browser/constants'
import { aboutOf, type InboxReason } from '../../contract/inbox'
import { type MentionedBy, reasonFor } from '../../domain/events/effects'
import { type AttentionKind, attentionNumbers } from '../../domain/references'
import { canSeeChannel } from '../access/visibility'
import { prepare, type Reader, type Writer } from '../engines/db'
import { levelNumbers } from './follows'
import { hasReactions, onePerSubject } from './inbox'
import {
  canHaveRecipients,
  eventsAfter,
  type InboxPosition,
  type LocatedEvent,
  locateEvents,
  MAX_EVENTS,
  type Subject,
} from './inbox-events'
import { joinPosition, readUpTo } from './reads'

/** At most so many recipients get entries in one transaction. */
const MAX_RECIPIENTS = 200

/** An entry to be added to the inbox of a member, or moved up there. */
export interface NewEntry {
  author_key: number
  kind: AttentionKind
  subject_key: number
  subject_id: string
  channel_key: number
  item_key: number
  reason: InboxReason
  /** The group that was mentioned; 0 for none. */
  group_key: number
  actor_key: number
  revision: number
  at: number
  is_read: boolean
}

/** What the next events of a log change in inboxes, and how far in the log that is. */
export interface InboxBatch {
  entries: NewEntry[]
  /** Someone took back a reaction to these. */
  unreacted: LocatedEvent[]
  next: InboxPosition
  /** Whether more events may follow. */
  hasMore: boolean
}

/**
 * What belongs into inboxes, by a number of statements that does not depend on how much it is: the events, the records they are about,
 * how many may get entries, and who does. Subjects and members that several events have in common are looked up once.
 */
export async function readBatch(
  db: Reader,
  workspaceKey: number,
  start: InboxPosition,
  { after, upTo }: { after: number; upTo: number },
): Promise<InboxBatch> {
  const events = await eventsAfter(db, [], { workspaceKey, after, upTo })
  const isAll = events.length < MAX_EVENTS
  const end = isAll ? upTo : events.at(-1)!.revision
  const located = await locateEvents(db, workspaceKey, events.filter(canHaveRecipients))
  const asked = located.filter(({ type }) => type !== 'reaction.removed')
  // Some recipients of the first event after the position may have got it already: then it is the only one.
  const isFirstBegun = start.recipient_key > 0 && asked[0]?.revision === start.revision + 1
  const handled = isFirstBegun ? asked.slice(0, 1) : await takeWithin(db, asked)
  const recipients = await listRecipients(db, handled, isFirstBegun ? start.recipient_key : 0)
  const isCut = handled.length === 1 && recipients.length === MAX_RECIPIENTS
  const last = handled.at(-1)
  const next = isCut
    ? { revision: last!.revision - 1, recipient_key: recipients.at(-1)!.author_key }
    : { revision: handled.length === asked.length ? end : asked[handled.length]!.revision - 1, recipient_key: 0 }
  return {
    entries: toEntries(handled, recipients),
    unreacted: located.filter(({ type, revision }) => type === 'reaction.removed' && revision <= next.revision),
    next,
    hasMore: !isAll || next.revision < end,
  }
}

const SUBJECT = {
  at: 'int',
  kind: 'int',
  subject_key: 'int',
  channel_key: 'int',
  has_followers: 'int',
  actor_key: 'int',
} as const
const NAMED = { at: 'int', author_key: 'int' } as const
const GROUPS = { at: 'int', group_key: 'int' } as const

const THREAD = sql.lit(attentionNumbers.thread)
const CHANNEL = sql.lit(attentionNumbers.channel)
const ALL = sql.lit(levelNumbers.all)

/** A subject of events that mention the same groups, and what is asked about it. */
interface Asked {
  at: number
  subject: Subject
  hasFollowers: boolean
  actors: Set<number>
  named: Set<number>
  groups: readonly number[]
}

const nameOf = ({ subject, namedGroups }: LocatedEvent): string => [subject.kind, subject.key, ...namedGroups].join(' ')

/** The subjects of events by `nameOf`, each with what is asked about it. */
function toRows(events: readonly LocatedEvent[]) {
  const asked = new Map<string, Asked>()
  for (const event of events) {
    const { subject, rule, actor_key, named, namedGroups } = event
    const about = asked.getOrInsertComputed(nameOf(event), () => ({
      at: asked.size,
      subject,
      hasFollowers: false,
      actors: new Set(),
      named: new Set(),
      groups: namedGroups.filter((group) => typeof group === 'number'),
    }))
    if (rule.followers !== null) about.hasFollowers = true
    about.actors.add(actor_key)
    for (const key of named) about.named.add(key)
  }
  const all = [...asked.values()]
  const rows = all.map(({ at, subject: { kind, key, channel_key }, hasFollowers, actors }) => [
    ...[at, attentionNumbers[kind], key, channel_key, Number(hasFollowers)],
    // Who did all of it gets no entry.
    actors.size === 1 ? [...actors][0]! : 0,
  ])
  const named = all.flatMap(({ at, named }) => [...named].map((key) => [at, key]))
  const groups = all.flatMap(({ at, groups }) => groups.map((key) => [at, key]))
  const values = { subjects: JSON.stringify(rows), named: JSON.stringify(named), groups: JSON.stringify(groups) }
  return { asked, values }
}

/** How many may get entries about each subject, counted no further than one transaction could add. */
const candidateCounts = prepare((db, param) => {
  const limit = sql.lit(MAX_RECIPIENTS + 1)
  const followers = (kind: unknown, key: unknown) =>
    sql`(SELECT count(*) FROM (SELECT 1 FROM follows AS f WHERE f.kind = ${kind} AND f.subject_key = ${key} AND f.level = ${ALL}
      LIMIT ${limit}) AS counted)`
  return sql<{ at: number; count: number }>`SELECT s.at, CASE WHEN s.has_followers = 0 THEN 0
      WHEN s.kind = ${THREAD} THEN (SELECT count(*) FROM (SELECT 1 FROM thread_members AS tm WHERE tm.thread_key = s.subject_key
        LIMIT ${limit}) AS counted)
      ELSE ${followers(sql.ref('s.kind'), sql.ref('s.subject_key'))} + ${followers(CHANNEL, sql.ref('s.channel_key'))} END AS count
    FROM ${db.syntax.rowsOfJson(param<string>('subjects'), SUBJECT)} AS s`
})

/** How many are in the groups that are mentioned with each subject. */
const memberCounts = prepare(
  (db, param) => sql<{ at: number; count: number }>`SELECT asked.at, sum(g.members_count) AS count
    FROM ${db.syntax.rowsOfJson(param<string>('groups'), GROUPS)} AS asked JOIN groups AS g ON g.key = asked.group_key GROUP BY asked.at`,
)

const mentionsEveryone = ({ namedGroups }: LocatedEvent) => namedGroups.some(isEveryone)

/** As many of the events as one transaction can add entries of; at least one. One that mentions a whole channel is taken alone. */
async function takeWithin(db: Reader, events: readonly LocatedEvent[]): Promise<readonly LocatedEvent[]> {
  const first = events.findIndex(mentionsEveryone)
  if (first === 0) return events.slice(0, 1)
  if (first > 0) return takeWithin(db, events.slice(0, first))
  if (events.length === 0) return events
  const { asked, values } = toRows(events)
  const counts = new Map((await candidateCounts(db, [], values)).map(({ at, count }) => [at, count]))
  const hasGroups = events.some(({ namedGroups }) => namedGroups.length > 0)
  const members = new Map((hasGroups ? await memberCounts(db, [], values) : []).map(({ at, count }) => [at, count]))
  const taken = new Set<number>()
  let room = MAX_RECIPIENTS
  for (const [index, event] of events.entries()) {
    const { at, named } = asked.get(nameOf(event))!
    if (taken.has(at)) continue
    taken.add(at)
    room -= counts.get(at)! + (members.get(at) ?? 0) + named.size
    if (room < 0) return events.slice(0, Math.max(1, index))
  }
  return events
}

export interface Recipient {
  /** Which subject it is, with the groups that are mentioned. */
  at: number
  author_key: number
  level: number
  /** By their own level for the subject; null if there is none. */
  own_level: number | null
  /** Up to which revision they have read the subject. */
  read_up_to: number
  /** The group they are in that is mentioned, and whether their channel is; 0 if not. */
  group_key: number
  everyone: number
}

/** How far everyone of a channel is mentioned, as statements have it: the more, the higher. */
const everyoneNumbers = { here: 1, channel: 2 } as const

/**
 * Whoever was seen since so long before is online. It is recorded once a minute, for all nodes. Who was invited counts as seen then,
 * to be sorted, but has not been here.
 */
export const ONLINE_MS = 10 * 60 * 1000

/**
 * Who may get entries about subjects, by key: of those who can see them at this moment, those who follow them, those the events name,
 * and those in the groups and channels they mention, who have not muted them. Never apps, or who is deactivated. An event that mentions
 * a whole channel is the only one.
 */
const recipientsOf = prepare(
  (db, param, isOfOneEvent: boolean, mentioned: 'nobody' | 'groups' | 'here' | 'channel') => {
    const subjects = db.syntax.rowsOfJson(param<string>('subjects'), SUBJECT)
    const level = sql`coalesce(own.level, place.level, CASE WHEN s.kind = ${THREAD} THEN ${ALL} ELSE ${sql.lit(levelNumbers.mentions)} END)`
    const after = param<number>('after')
    const one = sql`0 AS group_key, 0 AS everyone`
    const candidates = [
      sql`SELECT s.at, f.author_key, ${one} FROM subject AS s JOIN follows AS f ON f.kind = s.kind AND f.subject_key = s.subject_key
        AND f.level = ${ALL} WHERE s.has_followers = 1 AND s.kind <> ${THREAD}`,
      sql`SELECT s.at, f.author_key, ${one} FROM subject AS s JOIN follows AS f ON f.kind = ${CHANNEL} AND f.subject_key = s.channel_key
        AND f.level = ${ALL} WHERE s.has_followers = 1 AND s.kind <> ${THREAD}`,
      sql`SELECT s.at, tm.author_key, ${one} FROM subject AS s JOIN thread_members AS tm ON tm.thread_key = s.subject_key
        WHERE s.has_followers = 1 AND s.kind = ${THREAD}`,
      sql`SELECT n.at, n.author_key, ${one} FROM ${db.syntax.rowsOfJson(param<string>('named'), NAMED)} AS n`,
      ...(mentioned === 'nobody'
        ? []
        : [
            sql`SELECT g.at, gm.author_key, gm.group_key, 0 AS everyone FROM ${db.syntax.rowsOfJson(param<string>('groups'), GROUPS)} AS g
            JOIN group_members AS gm ON gm.group_key = g.group_key WHERE gm.author_key > ${after}`,
          ]),
      ...(mentioned === 'here' || mentioned === 'channel'
        ? [
            sql`SELECT s.at, cm.author_key, 0 AS group_key, ${sql.lit(everyoneNumbers[mentioned])} AS everyone FROM subject AS s
            JOIN channel_members AS cm ON cm.channel_key = s.channel_key ${
              mentioned === 'here'
                ? sql`JOIN members AS present ON present.author_key = cm.author_key AND present.last_seen_at >= ${param<number>('seenAfter')}
                    AND present.last_seen_at > present.created_at`
                : sql``
            } WHERE cm.author_key > ${after}`,
          ]
        : []),
    ]
    return sql<Recipient>`WITH subject AS (SELECT * FROM ${subjects} AS asked)
    SELECT f.at AS at, f.author_key AS author_key, ${level} AS level, own.level AS own_level, f.group_key AS group_key,
      f.everyone AS everyone, ${readUpTo('own_position', 'channel_position', 'm')} AS read_up_to
    FROM (SELECT at, author_key, max(group_key) AS group_key, max(everyone) AS everyone
      FROM (${sql.join(candidates, sql` UNION ALL `)}) AS each_of GROUP BY at, author_key) AS f
    JOIN subject AS s ON s.at = f.at
    JOIN members AS m ON m.author_key = f.author_key AND m.is_deactivated = 0
    LEFT JOIN follows AS own ON own.kind = s.kind AND own.subject_key = s.subject_key AND own.author_key = f.author_key
    LEFT JOIN follows AS place ON place.kind = ${CHANNEL} AND place.subject_key = s.channel_key AND place.author_key = f.author_key
    LEFT JOIN read_positions AS own_position ON own_position.kind = s.kind AND own_position.subject_key = s.subject_key
      AND own_position.author_key = f.author_key
    ${joinPosition('channel_position', 'channel', 's.channel_key', 'f.author_key')}
    WHERE f.author_key > ${after} AND f.author_key <> s.actor_key AND ${level} > ${sql.lit(levelNumbers.none)}
      AND CASE WHEN s.kind = ${THREAD}
        THEN EXISTS (SELECT 1 FROM thread_members AS tm WHERE tm.thread_key = s.subject_key AND tm.author_key = f.author_key)
        ELSE EXISTS (SELECT 1 FROM channels AS c WHERE c.key = s.channel_key AND ${canSeeChannel('c', { member: 'm' })}) END
    ORDER BY f.at, f.author_key ${isOfOneEvent ? sql`LIMIT ${sql.lit(MAX_RECIPIENTS)}` : sql``}`
  },
)

/**
 * Only one event can be continued after a recipient. Several were taken because they have few enough; who has followed one of them
 * since they were counted, which on PostgreSQL is possible, is one more, and nobody is left out instead.
 */
async function listRecipients(db: Reader, events: readonly LocatedEvent[], after: number): Promise<Recipient[]> {
  const [first] = events
  if (!first) return []
  const values = { ...toRows(events).values, after, seenAfter: first.created_at - ONLINE_MS }
  return recipientsOf(db, [events.length === 1, mentionedBy(events)], values)
}

function mentionedBy(events: readonly LocatedEvent[]) {
  if (events.every(({ namedGroups }) => namedGroups.length === 0)) return 'nobody'
  const [{ namedGroups, subject }] = events as [LocatedEvent]
  if (subject.channel_key === 0) return 'groups'
  if (namedGroups.includes('channel')) return 'channel'
  return namedGroups.includes('here') ? 'here' : 'groups'
}

function howMentioned({ group_key, everyone }: Recipient): MentionedBy | null {
  if (group_key > 0) return 'group'
  return everyone === everyoneNumbers.channel ? 'channel' : everyone === everyoneNumbers.here ? 'here' : null
}

/** What each recipient is told of the events. Of what is the same entry, the last event counts. */
function toEntries(events: readonly LocatedEvent[], recipients: readonly Recipient[]): NewEntry[] {
  const { asked } = toRows(events)
  const bySubject = Map.groupBy(recipients, ({ at }) => at)
  const entries = new Map<string, NewEntry>()
  const isMentioned = new Set<string>()
  for (const event of events) {
    const { rule, subject, revision, actor_key, item_key } = event
    const named = new Set(event.named)
    for (const recipient of bySubject.get(asked.get(nameOf(event))!.at) ?? []) {
      const { author_key, read_up_to } = recipient
      const isNamed = named.has(author_key)
      const follower = [author_key, subject.kind, subject.key].join(' ')
      const level = isMentioned.has(follower) ? (recipient.own_level ?? levelNumbers.all) : recipient.level
      const isFollower = rule.followers !== null && level === levelNumbers.all
      const mentioned_by = howMentioned(recipient)
      if (author_key === actor_key || !(isNamed || mentioned_by || isFollower)) continue
      const is_replied_to = author_key === event.replied_to_key
      const reason = reasonFor(rule, { is_named: isNamed, mentioned_by, is_replied_to })
      // As `upsertEntries` does, for the events after this one.
      if (reason === 'mention') isMentioned.add(follower)
      const name = [author_key, aboutOf[reason], subject.kind, subject.key, reason === 'reaction' && item_key].join(' ')
      entries.set(name, {
        author_key,
        kind: subject.kind,
        subject_key: subject.key,
        subject_id: subject.id,
        channel_key: subject.kind === 'post' ? subject.channel_key : 0,
        group_key: reason === 'group_mention' ? recipient.group_key : 0,
        ...{ item_key, reason, actor_key, revision, at: event.created_at },
        // A reaction is nothing that has to be read.
        is_read: reason === 'reaction' || read_up_to >= revision,
      })
    }
  }
  return [...entries.values()]
}

const ENTRY = {
  ...({ id: 'text', author_key: 'int', about: 'text', kind: 'int', subject_key: 'int' } as const),
  ...({ channel_key: 'int', item_key: 'int', reason: 'text', actor_key: 'int', revision: 'int' } as const),
  ...({ at: 'int', group_key: 'int' } as const),
}
const names = Object.keys(ENTRY)
const columns = sql.join(names.map((column) => sql.ref(column)))

/**
 * A new event moves an entry up, makes it unread and brings it back from the archive. What was read already stays archived; it may
 * have been read since the recipients were found.
 */
const upsertStatement = prepare(
  (db, param) => sql`INSERT INTO inbox_entries (workspace_key, ${columns}, is_read)
    SELECT CAST(${param<number>('workspaceKey')} AS bigint), ${sql.join(names.map((column) => sql.ref(`entries.${column}`)))},
      CASE WHEN entries.is_read = 1 OR entries.revision <= ${readUpTo('own_position', 'channel_position', 'm')} THEN 1 ELSE 0 END
    FROM ${db.syntax.rowsOfJson(param<string>('entries'), { ...ENTRY, is_read: 'int' })} AS entries
    JOIN members AS m ON m.author_key = entries.author_key
    LEFT JOIN read_positions AS own_position ON own_position.kind = entries.kind
      AND own_position.subject_key = entries.subject_key AND own_position.author_key = entries.author_key
    ${joinPosition('channel_position', 'channel', 'entries.channel_key', 'entries.author_key')}
    WHERE 1 = 1
    ON CONFLICT (${onePerSubject}) DO UPDATE SET item_key = excluded.item_key, reason = excluded.reason,
      group_key = excluded.group_key, actor_key = excluded.actor_key, revision = excluded.revision, at = excluded.at, is_read = excluded.is_read,
      is_marked_unread = 0, archived_at = CASE WHEN excluded.is_read = 1 AND excluded.about <> 'reaction'
        THEN inbox_entries.archived_at END`,
)

/** Being mentioned by name is a reason to follow, where nothing else was chosen: with a whole channel, it is not. */
const followStatement = prepare(
  (db, param) => sql`INSERT INTO follows (author_key, kind, subject_key, level)
    SELECT author_key, kind, subject_key, ${ALL}
    FROM ${db.syntax.rowsOfJson(param<string>('mentions'), { author_key: 'int', kind: 'int', subject_key: 'int' })} AS mentions
    WHERE 1 = 1 ON CONFLICT (kind, subject_key, author_key) DO NOTHING`,
)

/** Adds entries to inboxes, or moves up those that are there. */
export async function upsertEntries(
  db: Writer,
  workspaceKey: number,
  entries: readonly NewEntry[],
  newEntryId: () => string,
) {
  const rows = entries.map((entry) => [
    ...[newEntryId(), entry.author_key, aboutOf[entry.reason], attentionNumbers[entry.kind], entry.subject_key],
    ...[
      entry.channel_key,
      entry.item_key,
      entry.reason,
      entry.actor_key,
      entry.revision,
      entry.at,
      entry.group_key,
      Number(entry.is_read),
    ],
  ])
  if (rows.length > 0) await upsertStatement(db, [], { workspaceKey, entries: JSON.stringify(rows) })
  const mentions = entries
    .filter(({ reason }) => reason === 'mention')
    .map(({ author_key, kind, subject_key }) => [author_key, attentionNumbers[kind], subject_key])
  if (mentions.length > 0) await followStatement(db, [], { mentions: JSON.stringify(mentions) })
}

/** Deletes the entries about reactions that were all taken back. Returns whose they were. */
export async function removeReactionEntries(
  db: Writer,
  events: readonly LocatedEvent[],
): Promise<{ author_key: number; subject_id: string }[]> {
  if (events.length === 0) return []
  const ids = new Map(events.map(({ subject }) => [`${attentionNumbers[subject.kind]} ${subject.key}`, subject.id]))
  const rows = events.map(({ subject, item_key }) => [attentionNumbers[subject.kind], subject.key, item_key])
  const records = db.syntax.rowsOfJson(JSON.stringify(rows), { kind: 'int', subject_key: 'int', item_key: 'int' })
  const gone = await db
    .deleteFrom('inbox_entries')
    .where('about', '=', 'reaction')
    .where(
      sql<SqlBool>`(kind, subject_key, item_key) IN (SELECT kind, subject_key, item_key FROM ${records} AS records)`,
    )
    .where(sql<SqlBool>`NOT (${hasReactions('inbox_entries')})`)
    .returning(['author_key', 'kind', 'subject_key'])
    .execute()
  return gone.map(({ author_key, kind, subject_key }) => ({
    author_key,
    subject_id: ids.get(`${kind} ${subject_key}`)!,
  }))
}
