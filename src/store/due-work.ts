import { type RawBuilder, sql } from 'kysely'
import { prepare, type Reader } from './engines/db'

/** What background jobs do, once it is due. */
export type Work = 'webhooks' | 'inboxes' | 'reminders' | 'notifications'

const isAny = (...queries: unknown[]): RawBuilder<number> =>
  sql<number>`CASE WHEN ${sql.join(
    queries.map((query) => sql`EXISTS ${query}`),
    sql` OR `,
  )} THEN 1 ELSE 0 END`

const dueWork = prepare((db, param) => {
  const now = param<number>('now')
  const laggingWebhooks = db
    .selectFrom('webhooks as w')
    .innerJoin('workspaces as s', 's.key', 'w.workspace_key')
    .whereRef('w.position', '<', 's.revision')
    .where('w.is_enabled', '=', true)
    .select('w.key')
  const dueWebhooks = db
    .selectFrom('webhooks')
    .where('due_at', '<=', now)
    .where('claimed_until', '<=', now)
    .where('is_enabled', '=', true)
    .select('key')
  const droppingWebhooks = db.selectFrom('webhooks').where('dropped_key', '>', 0).select('key')
  const laggingInboxes = db
    .selectFrom('inbox_positions as i')
    .innerJoin('workspaces as w', 'w.key', 'i.workspace_key')
    .whereRef('i.revision', '<', 'w.revision')
    .select('i.workspace_key')
  const dueReminders = db
    .selectFrom('saved_posts')
    .where('remind_at', 'is not', null)
    .where('remind_at', '<=', now)
    .select('post_key')
  const isUnclaimed = sql<boolean>`claimed_until <= ${now}`
  const dueMails = db.selectFrom('mails').where('due_at', '<=', now).where(isUnclaimed).select('key')
  const dueDigests = db.selectFrom('notification_state').where('mail_due_at', '<=', now).where(isUnclaimed)
  const duePushes = db.selectFrom('push_subscriptions').where('due_at', '<=', now).where(isUnclaimed)
  return db.selectNoFrom([
    isAny(laggingWebhooks, dueWebhooks, droppingWebhooks).as('webhooks'),
    isAny(laggingInboxes).as('inboxes'),
    isAny(dueReminders).as('reminders'),
    isAny(dueMails, dueDigests.select('author_key'), duePushes.select('session_key')).as('notifications'),
  ])
})

/** What is due. One statement for all jobs, so that a server with nothing to do has next to nothing to do. */
export async function listDueWork(db: Reader, now: number): Promise<Work[]> {
  const [due] = await dueWork(db, [], { now })
  return (Object.keys(due!) as Work[]).filter((work) => due![work] === 1)
}
