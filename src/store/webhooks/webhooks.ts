import { type Selectable, sql } from 'kysely'
import type { Slice } from '../../domain/lists/paging'
import type { Viewer } from '../../domain/permissions'
import { prepare, type Reader, type RowOf, type Writer } from '../engines/db'
import { listRows } from '../lists/list'
import { storedAuthor } from '../lists/record-json'
import type { Tables } from '../schema'

export type WebhookRow = Selectable<Tables['webhooks']>

/** A webhook with its owner. */
export type OwnedWebhook = WebhookRow & { owner: string }

const ownedWebhooks = (db: Reader) =>
  db
    .selectFrom('webhooks as w')
    .innerJoin('authors as a', 'a.key', 'w.author_key')
    .selectAll('w')
    .select(storedAuthor('a').as('owner'))

/** A webhook of the viewer's workspace, of any owner. */
export const findWebhook = (db: Reader, viewer: Viewer, id: string): Promise<OwnedWebhook | undefined> =>
  ownedWebhooks(db).where('w.workspace_key', '=', viewer.workspace.key).where('w.id', '=', id).executeTakeFirst()

export const findWebhookByKey = (db: Reader, key: number): Promise<OwnedWebhook | undefined> =>
  ownedWebhooks(db).where('w.key', '=', key).executeTakeFirst()

/** The webhooks that one author owns. */
export const listWebhooksOf = (db: Reader, workspaceKey: number, authorKey: number): Promise<OwnedWebhook[]> =>
  ownedWebhooks(db)
    .where('w.workspace_key', '=', workspaceKey)
    .where('w.author_key', '=', authorKey)
    .orderBy('w.key')
    .execute()

/** One slice of the webhooks of a workspace, and how many there are: a handful. */
export function listWebhooks(db: Reader, viewer: Viewer, slice: Slice) {
  const ranges = [{ workspace_key: viewer.workspace.key }]
  return listRows(db, { table: 'webhooks', key: 'key', at: 'created_at', id: 'id', ranges }, slice, (keys) =>
    keys
      .innerJoin('webhooks as w', 'w.key', 'k.key')
      .innerJoin('authors as a', 'a.key', 'w.author_key')
      .selectAll('w')
      .select(storedAuthor('a').as('owner')),
  )
}

export interface WebhookBacklog {
  pending: number
  /** How many webhooks have something to send right now, and since when the one that waits longest. */
  due: number
  oldest_due_at: number | null
}

/** The pending deliveries of all workspaces. Takes two look-ups per webhook, independent of the number of deliveries. */
export function findBacklog(db: Reader, now: number): Promise<WebhookBacklog> {
  const enabled = db
    .selectFrom('webhooks as w')
    .where('w.is_enabled', '=', true)
    .select([
      sql<number>`w.deliveries_count - w.delivered_count - w.failed_count`.as('pending'),
      sql<number | null>`(SELECT min(d.next_attempt_at) FROM deliveries AS d WHERE d.webhook_key = w.key)`.as(
        'next_at',
      ),
    ])
  const isDue = sql`next_at <= ${now}`
  return db
    .selectFrom(enabled.as('enabled'))
    .select([
      sql<number>`coalesce(sum(pending), 0)`.as('pending'),
      sql<number>`coalesce(sum(case when ${isDue} then 1 else 0 end), 0)`.as('due'),
      sql<number | null>`min(case when ${isDue} then next_at end)`.as('oldest_due_at'),
    ])
    .executeTakeFirstOrThrow()
}

export interface NewWebhookRow {
  id: string
  workspace_key: number
  author_key: number
  url: string
  types: string
  secret: string
  position: number
  created_at: number
}

export const insertWebhook = (db: Writer, webhook: NewWebhookRow): Promise<WebhookRow> =>
  db
    .insertInto('webhooks')
    .values({
      ...webhook,
      updated_at: webhook.created_at,
      is_enabled: true,
      disabled_reason: null,
      old_secret: null,
      old_secret_until: 0,
      due_at: null,
      failing_since: null,
      claimed_until: 0,
      dropped_key: 0,
      deliveries_count: 0,
      delivered_count: 0,
      failed_count: 0,
    })
    .returningAll()
    .executeTakeFirstOrThrow()

export const setWebhook = (db: Writer, key: number, changes: Partial<Omit<WebhookRow, 'key'>>): Promise<WebhookRow> =>
  db.updateTable('webhooks').set(changes).where('key', '=', key).returningAll().executeTakeFirstOrThrow()

/** Locks a webhook until the end of the transaction; undefined if it was deleted. */
export const lockWebhook = (db: Writer, key: number): Promise<WebhookRow | undefined> =>
  db
    .updateTable('webhooks')
    .set({ claimed_until: sql`claimed_until` })
    .where('key', '=', key)
    .returningAll()
    .executeTakeFirst()

/** Deletes a webhook. Nobody can see its deliveries from then on; `deleteOrphanedDeliveries` deletes them in batches. */
export async function deleteWebhook(db: Writer, key: number) {
  await db.deleteFrom('webhooks').where('key', '=', key).execute()
  await db.insertInto('deleted_webhooks').values({ webhook_key: key }).execute()
}

const laggingWebhooks = prepare((db, param) =>
  db
    .selectFrom('webhooks as w')
    .innerJoin('workspaces as s', 's.key', 'w.workspace_key')
    .whereRef('w.position', '<', 's.revision')
    .where('w.is_enabled', '=', true)
    .selectAll('w')
    .select('s.id as workspace_id')
    .limit(param<number>('limit')),
)

export type LaggingWebhook = RowOf<typeof laggingWebhooks>

/** Webhooks whose position is behind the revision of their workspace. Queried in every round of the dispatcher. */
export const listLaggingWebhooks = (db: Reader, limit: number): Promise<LaggingWebhook[]> =>
  laggingWebhooks(db, [], { limit })

/** Moves a webhook to a position, unless another process did or it was disabled: each event is queued once. */
export const moveWebhook = async (db: Writer, { key, position }: WebhookRow, to: number): Promise<boolean> =>
  (await db
    .updateTable('webhooks')
    .set({ position: to })
    .where('key', '=', key)
    .where('position', '=', position)
    .where('is_enabled', '=', true)
    .returning('key')
    .executeTakeFirst()) !== undefined

const dueWebhooks = (db: Reader, now: number) =>
  db
    .selectFrom('webhooks')
    .where('due_at', '<=', now)
    .where('claimed_until', '<=', now)
    .where('is_enabled', '=', true)
    .select('key')
    .orderBy('due_at')

const firstDueWebhook = prepare((db, param) => dueWebhooks(db, param<number>('now')).limit(1))

/** Queried in every round of the dispatcher. */
export const hasDueWebhook = async (db: Reader, now: number): Promise<boolean> =>
  (await firstDueWebhook(db, [], { now })).length > 0

/** Claims webhooks with due deliveries until a time. Skips webhooks that another process has claimed. */
export const claimDueWebhooks = (db: Writer, now: number, until: number, limit: number): Promise<WebhookRow[]> =>
  db
    .updateTable('webhooks')
    .set({ claimed_until: until })
    .where('key', 'in', db.syntax.skipLocked(dueWebhooks(db, now).limit(limit)))
    .returningAll()
    .execute()

/** Extends a claim; undefined if the webhook was deleted, or another node claimed it after this claim expired. */
export const keepClaim = (db: Writer, { key, claimed_until }: WebhookRow, until: number) =>
  db
    .updateTable('webhooks')
    .set({ claimed_until: until })
    .where('key', '=', key)
    .where('claimed_until', '=', claimed_until)
    .returningAll()
    .executeTakeFirst()
