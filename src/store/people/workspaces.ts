import { sql } from 'kysely'
import type { Role } from '../../contract/members'
import type { Workspace } from '../../contract/workspace'
import type { Position } from '../../domain/events/positions'
import type { Links } from '../../domain/links'
import { timestamp } from '../../domain/timestamps'
import { paramsFor, prepare, type Reader, type RowOf, type Writer } from '../engines/db'

export const findWorkspace = (db: Reader, slug: string) =>
  db.selectFrom('workspaces').where('slug', '=', slug).selectAll().executeTakeFirst()

export const getWorkspace = (db: Reader, key: number) =>
  db.selectFrom('workspaces').where('key', '=', key).selectAll().executeTakeFirstOrThrow()

type WorkspaceRow = Awaited<ReturnType<typeof getWorkspace>>

/** The workspace of this server if it has exactly one. */
export async function findOnlyWorkspace(db: Reader) {
  const [only, another] = await db.selectFrom('workspaces').select(['name', 'icon']).limit(2).execute()
  return another ? undefined : only
}

export const listWorkspaces = (db: Reader) => db.selectFrom('workspaces').selectAll().orderBy('key').execute()

export async function insertWorkspace(
  db: Writer,
  workspace: { id: string; slug: string; name: string; created_at: number; is_set_up?: boolean },
) {
  const inserted = await db
    .insertInto('workspaces')
    .values({
      is_set_up: false,
      ...workspace,
      updated_at: workspace.created_at,
      icon: null,
      revision: 0,
      admins_count: 0,
      members_count: 0,
      viewers_count: 0,
      guests_count: 0,
      apps_count: 0,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  await db
    .insertInto('inbox_positions')
    .values({ workspace_key: inserted.key, revision: 0, recipient_key: 0 })
    .execute()
  return inserted
}

export type WorkspaceChanges = Partial<
  Pick<WorkspaceRow, 'name' | 'icon' | 'is_set_up' | 'is_channel_creation_open' | 'channel_mentions'>
>

export const setWorkspace = (db: Writer, key: number, changes: WorkspaceChanges & { updated_at: number }) =>
  db.updateTable('workspaces').set(changes).where('key', '=', key).returningAll().executeTakeFirstOrThrow()

export const findPosition = (db: Reader, workspaceKey: number): Promise<Position> =>
  db.selectFrom('workspaces').where('key', '=', workspaceKey).select(['revision', 'nonce']).executeTakeFirstOrThrow()

const lockStatement = prepare((db, param) =>
  db.syntax.forUpdate(db.selectFrom('workspaces').where('key', '=', param<number>('key')).select('revision')),
)

/** Locks a workspace until the end of the transaction, so that its changes happen one by one. Returns its revision. */
export async function lockWorkspace(db: Writer, key: number): Promise<number> {
  const [row] = await lockStatement(db, [], { key })
  return row!.revision
}

/** Where the log of a workspace is, where its content is, and when rights last changed. */
export interface WorkspacePositions extends Position {
  content_revision: number
  content_nonce: number
  access_revision: number
}

export const positionColumns = ['revision', 'nonce', 'content_revision', 'content_nonce', 'access_revision'] as const

const moveStatement = prepare((db, param, columns: readonly (keyof WorkspacePositions)[]) =>
  db
    .updateTable('workspaces')
    .set(Object.fromEntries(columns.map((column) => [column, param<number>(column)])))
    .where('key', '=', param<number>('key')),
)

/** Moves a workspace that is locked. */
export const setPositions = (db: Writer, key: number, positions: Position & Partial<WorkspacePositions>) =>
  moveStatement(db, [positionColumns.filter((column) => positions[column] !== undefined)], { key, ...positions })

const positionsByKey = prepare((db, param, size: number) =>
  db
    .selectFrom('workspaces')
    .where('key', 'in', paramsFor<number>(size, param))
    .select(['key', ...positionColumns]),
)

export async function findPositions(db: Reader, keys: readonly number[]): Promise<Map<number, WorkspacePositions>> {
  const rows = await positionsByKey(db, [keys.length], { ...keys })
  return new Map(rows.map(({ key, ...positions }) => [key, positions]))
}

/** Locks workspaces in the order of their keys, so that two changes that touch the same ones never wait for each other. */
export const lockWorkspaces = (db: Writer, keys: readonly number[]) =>
  db.syntax.forUpdate(db.selectFrom('workspaces').where('key', 'in', keys).select('key').orderBy('key')).execute()

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

const countsByKey = prepare((db, param) =>
  db
    .selectFrom('workspaces')
    .where('key', '=', param<number>('key'))
    .select(['admins_count', 'members_count', 'viewers_count', 'guests_count', 'apps_count']),
)

export type Counts = RowOf<typeof countsByKey>

export async function findCounts(db: Reader, key: number): Promise<Counts> {
  const [counts] = await countsByKey(db, [], { key })
  return counts!
}

export const toWorkspace = (links: Links, row: WorkspaceRow): Workspace => ({
  id: row.id,
  slug: row.slug,
  name: row.name,
  icon_url: links.icon(row.icon),
  created_at: timestamp(row.created_at),
  updated_at: timestamp(row.updated_at),
  is_set_up: row.is_set_up,
  channel_mentions: row.channel_mentions,
  members_create_channels: row.is_channel_creation_open,
})

const ONLY_ROW = 1
const MAX_CHECKED = 10_000

/** Of the key that the secrets of this database are encrypted with; undefined where no server has noted it yet. */
export const findFingerprint = async (db: Reader): Promise<string | undefined> =>
  (await db.selectFrom('secret_key').where('id', '=', ONLY_ROW).select('fingerprint').executeTakeFirst())?.fingerprint

export const setFingerprint = (db: Writer, fingerprint: string) =>
  db
    .insertInto('secret_key')
    .values({ id: ONLY_ROW, fingerprint })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ fingerprint }))
    .execute()

/** The encrypted values: the secrets of webhooks, newest first. A forgotten secret is empty and left out. */
export const listEncryptedSecrets = (db: Reader) =>
  db
    .selectFrom('webhooks as h')
    .innerJoin('workspaces as w', 'w.key', 'h.workspace_key')
    .where('h.secret', '<>', '')
    .orderBy('h.key', 'desc')
    .limit(MAX_CHECKED)
    .select(['h.key', 'h.secret', 'w.slug as workspace_slug'])
    .execute()
