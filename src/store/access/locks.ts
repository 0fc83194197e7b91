import { type RawBuilder, sql } from 'kysely'
import { prepare, type Writer } from '../engines/db'

/**
 * On PostgreSQL, changes of a workspace happen one by one, by the lock of its row. What somebody does for themselves happens beside
 * them, under two locks: one of the member, so that their own changes happen one by one, and one of the workspace that they share.
 * Only changes that may take something away, such as a post or a right, wait for the latter. SQLite has one writer, and needs
 * neither.
 */
const RIGHTS = 5_001
const MEMBER = 5_002

const lockOf = (kind: number, key: number | RawBuilder<unknown>) =>
  sql`${sql.lit(kind)}, (${key}::bigint % 2147483647)::int`

const rightsStatement = prepare(
  (_, param) => sql<object>`SELECT pg_advisory_xact_lock(${lockOf(RIGHTS, param<number>('workspace'))}) AS locked`,
)

/** Waits for what members do for themselves, and keeps them waiting until the end of the transaction. */
export async function lockRights(db: Writer, workspaceKey: number) {
  if (db.syntax.kind === 'postgres') await rightsStatement(db, [], { workspace: workspaceKey })
}

const membersStatement = prepare(
  (
    _,
    param,
  ) => sql<object>`SELECT pg_advisory_xact_lock_shared(${lockOf(RIGHTS, param<number>('workspace'))}) AS locked,
    (SELECT count(pg_advisory_xact_lock(${lockOf(MEMBER, sql.ref('key'))}))
      FROM json_array_elements_text(CAST(${param<string>('keys')} AS text)::json) AS members (key)) AS members`,
)

/** Keeps everything that members see, and their rights, as they are; these members change what they alone see one by one. */
export async function lockMembers(db: Writer, workspaceKey: number, authorKeys: readonly number[]) {
  if (db.syntax.kind !== 'postgres' || authorKeys.length === 0) return
  // In one order, so that two transactions never wait for each other.
  const keys = [...new Set(authorKeys)].sort((one, other) => one - other)
  await membersStatement(db, [], { keys: JSON.stringify(keys), workspace: workspaceKey })
}
