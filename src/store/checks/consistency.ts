import { sql } from 'kysely'
import { fold } from '../../contract/browser/fold'
import type { Reader } from '../engines/db'
import type { SqlSyntax } from '../engines/syntax'
import { searchTextOf } from '../people/members'
import { attentionRules } from './attention'
import { fileCounters, fileRules } from './files'
import { type Rule, rules, storedJson } from './rules'

/** How many disagreements of one kind are reported. */
const MAX_REPORTED = 100
const BATCH = 1_000

/** A sentence for each disagreement; none where all is well. */
type Check = (db: Reader) => Promise<string[]>

/**
 * Compare everything the database stores twice (counters, copied columns, stored JSON, the log, the text that is searched) with the
 * rows it was made from. Each is one statement, or reads in batches what nothing else depends on: so it is right while others write,
 * and no read has to last as long as all of them.
 */
export const checksOf = (syntax: SqlSyntax): Check[] => [
  ...[...counters, ...fileCounters].map((counter) => (db: Reader) => findWrongCounts(db, counter)),
  ...[...rules, ...fileRules, ...attentionRules, ...storedJson(syntax)].map(
    (rule) => (db: Reader) => findBroken(db, rule),
  ),
  findLogGaps,
  findUnsearchableMembers,
]

/** Runs all checks in one read. */
export async function runChecks(db: Reader): Promise<string[]> {
  const wrong: string[] = []
  for (const check of checksOf(db.syntax)) wrong.push(...(await check(db)))
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

interface Counter {
  /** `table.column` of the number that is kept. */
  of: `${string}.${string}`
  /** The rows it counts, by the column that holds the key. */
  counts: string
  by: string
  where?: string
}

const counters: readonly Counter[] = [
  { of: 'channels.posts_count', counts: 'posts', by: 'channel_key' },
  { of: 'channels.resolved_count', counts: 'posts', by: 'channel_key', where: 'is_resolved = 1' },
  { of: 'channels.members_count', counts: 'channel_members', by: 'channel_key' },
  { of: 'posts.comments_count', counts: 'comments', by: 'post_key' },
  { of: 'posts.root_comments_count', counts: 'comments', by: 'post_key', where: 'parent_key = 0' },
  { of: 'comments.replies_count', counts: 'comments', by: 'parent_key', where: 'parent_key <> 0' },
  { of: 'threads.messages_count', counts: 'messages', by: 'thread_key' },
  { of: 'authors.threads_count', counts: 'thread_members', by: 'author_key' },
  { of: 'authors.tokens_count', counts: 'tokens', by: 'author_key', where: "kind = 'api'" },
  { of: 'workspaces.apps_count', counts: 'apps', by: 'workspace_key' },
  { of: 'workspaces.admins_count', counts: 'members', by: 'workspace_key', where: "role = 'admin'" },
  { of: 'workspaces.members_count', counts: 'members', by: 'workspace_key', where: "role = 'member'" },
  { of: 'workspaces.viewers_count', counts: 'members', by: 'workspace_key', where: "role = 'viewer'" },
  { of: 'workspaces.guests_count', counts: 'members', by: 'workspace_key', where: "role = 'guest'" },
]

async function findWrongCounts(db: Reader, { of, counts, by, where }: Counter): Promise<string[]> {
  const [table, column] = of.split('.') as [string, string]
  const rows = await found<{ id: string; kept: number; counted: number }>(
    db,
    `SELECT t.id AS id, t.${column} AS kept, coalesce(n.counted, 0) AS counted FROM ${table} t
      LEFT JOIN (SELECT ${by} AS of_key, count(*) AS counted FROM ${counts} WHERE ${where ?? '1 = 1'} GROUP BY ${by}) n
      ON n.of_key = t.key WHERE t.${column} <> coalesce(n.counted, 0)`,
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
