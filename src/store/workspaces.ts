import { sql } from 'kysely'
import type { Role } from '../contract/members'
import type { Position } from '../domain/position'
import type { Reader, Writer } from './db'

export const findWorkspace = (db: Reader, slug: string) =>
  db.selectFrom('workspaces').where('slug', '=', slug).selectAll().executeTakeFirst()

export const listWorkspaces = (db: Reader) => db.selectFrom('workspaces').selectAll().orderBy('key').execute()

export const insertWorkspace = (
  db: Writer,
  workspace: { id: string; slug: string; name: string; created_at: number },
) =>
  db
    .insertInto('workspaces')
    .values({
      ...workspace,
      revision: 0,
      admins_count: 0,
      members_count: 0,
      viewers_count: 0,
      guests_count: 0,
      apps_count: 0,
    })
    .returningAll()
    .executeTakeFirstOrThrow()

export const findPosition = (db: Reader, workspaceKey: number): Promise<Position> =>
  db.selectFrom('workspaces').where('key', '=', workspaceKey).select(['revision', 'nonce']).executeTakeFirstOrThrow()

/**
 * Takes the next revisions for a change with this nonce. The row stays locked until the end, so a workspace's writes
 * happen one by one.
 */
export async function takeRevision(db: Writer, workspaceKey: number, nonce: number, count = 1): Promise<number> {
  const [row] = await db.prepared<{ revision: number }>(
    'workspaces.takeRevision',
    (slot) =>
      db
        .updateTable('workspaces')
        .set({ revision: sql`revision + ${slot<number>('count')}`, nonce: slot<number>('nonce') })
        .where('key', '=', slot<number>('key'))
        .returning('revision'),
    { key: workspaceKey, nonce, count },
  )
  return row!.revision
}

/** Gives back a revision that this transaction took for a change without an event. */
export const giveBackRevision = (db: Writer, workspaceKey: number) =>
  db
    .updateTable('workspaces')
    .set({
      revision: sql`revision - 1`,
      nonce: sql`coalesce((SELECT e.nonce FROM events AS e
        WHERE e.workspace_key = workspaces.key AND e.revision = workspaces.revision - 1), pruned_nonce)`,
    })
    .where('key', '=', workspaceKey)
    .execute()
/** Locks workspaces in the order of their keys, so that two changes that touch the same ones never wait for each other. */
export const lockWorkspaces = (db: Writer, keys: readonly number[]) =>
  db.flavour.forUpdate(db.selectFrom('workspaces').where('key', 'in', keys).select('key').orderBy('key')).execute()

type Counter = 'apps_count' | 'admins_count' | 'members_count' | 'viewers_count' | 'guests_count'

export const memberCounter = {
  admin: 'admins_count',
  member: 'members_count',
  viewer: 'viewers_count',
  guest: 'guests_count',
} as const satisfies Record<Role, Counter>

export const addToWorkspace = (db: Writer, key: number, counter: Counter, change: number) =>
  db
    .updateTable('workspaces')
    .set({ [counter]: sql`${sql.ref(counter)} + ${change}` })
    .where('key', '=', key)
    .execute()

export type Counts = Record<Counter, number>

export async function findCounts(db: Reader, key: number): Promise<Counts> {
  const [counts] = await db.prepared<Counts>(
    'workspaces.counts',
    (slot) =>
      db
        .selectFrom('workspaces')
        .where('key', '=', slot<number>('key'))
        .select(['admins_count', 'members_count', 'viewers_count', 'guests_count', 'apps_count']),
    { key },
  )
  return counts!
}
