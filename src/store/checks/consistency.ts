import { sql } from 'kysely'
import { fold } from '../../contract/browser/fold'
import { compareVisibilityHashes } from '../access/visibility-hash'
import type { Rule } from '../changes/dependant-rules'
import { dependantRules } from '../changes/dependants'
import type { Reader } from '../engines/db'
import { searchTextOf } from '../people/members'
import type { Tables } from '../schema'
import { fileRules } from './files'
import { rules } from './rules'

/** How many disagreements of one kind are reported. */
const MAX_REPORTED = 100
const BATCH = 1_000

/** A sentence for each disagreement; none where all is well. */
type Check = (db: Reader) => Promise<string[]>

/**
 * Compare everything the database stores twice (counters, copied columns, the log, the text that is searched) with the
 * rows it was made from. Each is one statement, or reads in batches what nothing else depends on: so it is right while others write,
 * and no read has to last as long as all of them.
 */
export const listChecks = (): Check[] => [
  ...countChecks,
  ...[...rules, ...fileRules, ...dependantRules].map((rule) => (db: Reader) => findBroken(db, rule)),
  findLogGaps,
  findUnsearchableMembers,
  findWrongHashes,
]

/** Runs all checks in one read. */
export async function runChecks(db: Reader): Promise<string[]> {
  const wrong: string[] = []
  for (const check of listChecks()) wrong.push(...(await check(db)))
  return wrong
}

async function findBroken(db: Reader, { query, message }: Rule): Promise<string[]> {
  const rows = await found<{ id: string; more: string }>(db, query)
  return rows.map(({ id, more }) => `${message(id, more)}.`)
}

const found = <Row>(db: Reader, query: string): Promise<Row[]> =>
  db
    .selectFrom(sql<Row>`(${sql.raw(query)} LIMIT ${sql.lit(MAX_REPORTED)})`.as('found'))
    .selectAll()
    .execute() as Promise<Row[]>

/** The rows that a counter counts, by the column that holds the key of what has the counter. */
interface Counter {
  counts: keyof Tables
  by: string
  where: string
}

const rowsOf = <Table extends keyof Tables>(
  counts: Table,
  by: keyof Tables[Table] & string,
  where = '1 = 1',
): Counter => ({ counts, by, where })

/** A counter that is not recounted here: what checks it instead. */
const elsewhere = (by: string) => ({ checkedBy: by })

/** The columns that count something, by their names. */
type CounterColumn = {
  [Table in keyof Tables]: `${Table}.${Extract<keyof Tables[Table], `${string}_count`>}`
}[keyof Tables]

/** What each counter counts. A new one does not compile until it is here. */
const counters: { [Column in CounterColumn]: Counter | ReturnType<typeof elsewhere> } = {
  'channels.posts_count': rowsOf('posts', 'channel_key'),
  'channels.resolved_count': rowsOf('posts', 'channel_key', 'is_resolved = 1'),
  'channels.members_count': rowsOf('channel_members', 'channel_key'),
  'channels.files_count': rowsOf('file_places', 'channel_key', 'channel_key <> 0'),
  'post_activity.comments_count': rowsOf('comments', 'post_key'),
  'post_activity.root_comments_count': rowsOf('comments', 'post_key', 'parent_key = 0'),
  'comments.replies_count': rowsOf('comments', 'parent_key', 'parent_key <> 0'),
  'threads.messages_count': rowsOf('messages', 'thread_key'),
  'threads.files_count': rowsOf('file_places', 'thread_key', 'thread_key <> 0'),
  'authors.threads_count': rowsOf('thread_members', 'author_key'),
  'authors.tokens_count': rowsOf('tokens', 'author_key', "kind = 'api'"),
  'groups.members_count': rowsOf('group_members', 'group_key'),
  'workspaces.apps_count': rowsOf('apps', 'workspace_key'),
  'workspaces.admins_count': rowsOf('members', 'workspace_key', "role = 'admin'"),
  'workspaces.members_count': rowsOf('members', 'workspace_key', "role = 'member'"),
  'workspaces.viewers_count': rowsOf('members', 'workspace_key', "role = 'viewer'"),
  'workspaces.guests_count': rowsOf('members', 'workspace_key', "role = 'guest'"),
  'invite_links.uses_count': rowsOf('members', 'link_key', 'link_key <> 0'),
  'files.references_count': rowsOf('file_references', 'file_key'),
  'file_places.references_count': elsewhere('a rule of its own: its rows have no key'),
  'author_posts.posts_count': elsewhere('a rule of its own: its rows have no key'),
  'author_posts.resolved_count': elsewhere('a rule of its own: its rows have no key'),
  'reaction_counts.reactions_count': elsewhere('a rule of its own: its rows have no key'),
  'webhooks.deliveries_count': elsewhere('the test of the queue of webhooks'),
  'webhooks.delivered_count': elsewhere('the test of the queue of webhooks'),
  'webhooks.failed_count': elsewhere('the test of the queue of webhooks'),
  'deliveries.attempts_count': elsewhere('the test of retries: only one row is ever changed'),
}

const countChecks = Object.entries(counters).flatMap(([of, counter]): Check[] =>
  'checkedBy' in counter ? [] : [(db) => findWrongCounts(db, of, counter)],
)

async function findWrongCounts(db: Reader, of: string, { counts, by, where }: Counter): Promise<string[]> {
  const [table, column] = of.split('.') as [string, string]
  const [id, key] = table === 'post_activity' ? ['post_id', 'post_key'] : ['id', 'key']
  const rows = await found<{ id: string; kept: number; counted: number }>(
    db,
    `SELECT t.${id} AS id, t.${column} AS kept, coalesce(n.counted, 0) AS counted FROM ${table} t
      LEFT JOIN (SELECT ${by} AS of_key, count(*) AS counted FROM ${counts} WHERE ${where} GROUP BY ${by}) n
      ON n.of_key = t.${key} WHERE t.${column} <> coalesce(n.counted, 0)`,
  )
  return rows.map(({ id, kept, counted }) => `${of} of ${id} is ${kept}, but there are ${counted}.`)
}

/** Finds workspaces whose log lacks an event, or its nonce, for a revision that was not pruned. */
export async function findLogGaps(db: Reader): Promise<string[]> {
  const rows = await found<{ slug: string; revision: number; pruned: number; events: number; last: number }>(
    db,
    `SELECT w.slug AS slug, w.revision AS revision, w.pruned_revision AS pruned, coalesce(e.events, 0) AS events,
        coalesce(e.last, w.pruned_revision) AS last
      FROM workspaces w LEFT JOIN (
        SELECT workspace_key, count(*) AS events, min(revision) AS first, max(revision) AS last
        FROM events GROUP BY workspace_key
      ) e ON e.workspace_key = w.key
      LEFT JOIN events newest ON newest.workspace_key = w.key AND newest.revision = w.revision
      WHERE w.revision <> coalesce(e.last, w.pruned_revision) OR coalesce(e.events, 0) <> w.revision - w.pruned_revision
        OR coalesce(e.first, w.pruned_revision + 1) <> w.pruned_revision + 1
        OR w.nonce <> coalesce(newest.nonce, w.pruned_nonce)`,
  )
  return rows.map(
    ({ slug, revision, pruned, events, last }) =>
      `The workspace ${slug} is at revision ${revision}; its log has ${events} events after revision ${pruned}, the last one ${last}.`,
  )
}

/** Every member is found by the name and e-mail address they have. */
async function findUnsearchableMembers(db: Reader): Promise<string[]> {
  const wrong: string[] = []
  for (let after = 0; wrong.length < MAX_REPORTED; ) {
    const members = await membersWithNames(db)
      .where('m.author_key', '>', after)
      .orderBy('m.author_key')
      .limit(BATCH)
      .execute()
    for (const member of members)
      if (member.search_text !== searchTextOf(fold(member.name), fold(member.email)))
        wrong.push(`Member ${member.id} is searched for by another name or e-mail than they have.`)
    if (members.length < BATCH) break
    after = members.at(-1)!.author_key
  }
  return wrong
}

const membersWithNames = (db: Reader) =>
  db
    .selectFrom('members as m')
    .innerJoin('authors as a', 'a.key', 'm.author_key')
    .innerJoin('users as u', 'u.key', 'm.user_key')
    .select(['m.author_key', 'm.id', 'm.search_text', 'a.name', 'u.email'])

/** Who has the same hash shares responses, so it has to say what they see. */
async function findWrongHashes(db: Reader): Promise<string[]> {
  const found: string[] = []
  for (let after: number | null = 0; after !== null && found.length < MAX_REPORTED; ) {
    const { wrong, last } = await compareVisibilityHashes(db, after)
    found.push(...wrong.map((id) => `The hash of the channels that ${id} sees is that of others.`))
    after = last
  }
  return found
}
