import { sql } from 'kysely'
import type { Reader, Writer } from '../engines/db'
import type { Tables } from '../schema'

export type PushSubscriptionRow = Tables['push_subscriptions']

/** The keys of this server. */
export const findPushKeys = (db: Reader) =>
  db.selectFrom('push_keys').where('id', '=', 1).select(['public_key', 'private_key']).executeTakeFirst()

/** Keeps new keys, unless another process was faster. */
export const insertPushKeys = (db: Writer, keys: { public_key: string; private_key: string }) =>
  db
    .insertInto('push_keys')
    .values({ id: 1, ...keys })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute()

/** Replaces keys that cannot be decrypted, unless another process did. The subscriptions that were made for them end. */
export async function replacePushKeys(
  db: Writer,
  oldPublicKey: string,
  keys: { public_key: string; private_key: string },
) {
  const replaced = await db
    .updateTable('push_keys')
    .set(keys)
    .where('public_key', '=', oldPublicKey)
    .returning('id')
    .executeTakeFirst()
  if (replaced) await db.deleteFrom('push_subscriptions').execute()
}

export const hasPushSubscription = async (db: Reader, sessionKey: number): Promise<boolean> =>
  (await db
    .selectFrom('push_subscriptions')
    .where('session_key', '=', sessionKey)
    .select('session_key')
    .executeTakeFirst()) !== undefined

/** The subscription of a browser, in place of the one before, which may be of someone else who used the browser. */
export async function setPushSubscription(
  db: Writer,
  subscription: Pick<
    PushSubscriptionRow,
    'session_key' | 'workspace_key' | 'author_key' | 'endpoint' | 'p256dh' | 'auth' | 'created_at' | 'pushed_revision'
  >,
) {
  await deletePushSubscription(db, subscription.session_key)
  const { endpoint } = subscription
  await db
    .deleteFrom('push_subscriptions')
    .where(sql`substr(endpoint, 1, 300)`, '=', sql`substr(CAST(${endpoint} AS text), 1, 300)`)
    .where('endpoint', '=', endpoint)
    .execute()
  await db
    .insertInto('push_subscriptions')
    .values({ ...subscription, due_at: null, attempts: 0, claimed_until: 0 })
    .execute()
}

export const deletePushSubscription = (db: Writer, sessionKey: number) =>
  db.deleteFrom('push_subscriptions').where('session_key', '=', sessionKey).execute()

export const deletePushSubscriptionsOf = (db: Writer, authorKey: number) =>
  db.deleteFrom('push_subscriptions').where('author_key', '=', authorKey).execute()

/** Subscriptions of sessions that have ended. */
export const deleteOrphanedPushSubscriptions = (db: Writer) =>
  db
    .deleteFrom('push_subscriptions')
    .where('session_key', 'not in', (eb) => eb.selectFrom('sessions').select('key'))
    .execute()

const due = (db: Reader, now: number) =>
  db
    .selectFrom('push_subscriptions')
    .where('due_at', '<=', now)
    .where('claimed_until', '<=', now)
    .orderBy('due_at')
    .select('session_key')

export const hasDuePush = async (db: Reader, now: number): Promise<boolean> =>
  (await due(db, now).limit(1).execute()).length > 0

export const claimDuePushes = (db: Writer, now: number, until: number, limit: number): Promise<PushSubscriptionRow[]> =>
  db
    .updateTable('push_subscriptions')
    .set({ claimed_until: until })
    .where('session_key', 'in', db.syntax.skipLocked(due(db, now).limit(limit)))
    .returningAll()
    .execute()

/** Changes a subscription that this node has claimed. False if it is gone, or another node has claimed it since. */
export const setPush = async (
  db: Writer,
  { session_key, claimed_until }: PushSubscriptionRow,
  changes: Partial<Pick<PushSubscriptionRow, 'due_at' | 'pushed_revision' | 'attempts' | 'claimed_until'>>,
): Promise<boolean> =>
  (await db
    .updateTable('push_subscriptions')
    .set(changes)
    .where('session_key', '=', session_key)
    .where('claimed_until', '=', claimed_until)
    .returning('session_key')
    .executeTakeFirst()) !== undefined
