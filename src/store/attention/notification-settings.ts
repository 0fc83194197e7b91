import type { NotificationTimes } from '../../domain/quiet-times'
import { newSecret } from '../../domain/secrets'
import type { Reader, Writer } from '../engines/db'
import { timesOf } from './notices'

const columns = [
  ...(['mail', 'mail_hour', 'is_sooner', 'paused_until'] as const),
  ...(['quiet_from', 'quiet_to', 'time_zone'] as const),
] as const

const NOTHING_CHOSEN = {
  mail: null,
  mail_hour: null,
  is_sooner: null,
  paused_until: null,
  quiet_from: null,
  quiet_to: null,
  time_zone: null,
}

/** When a member wants to be notified. */
export const findTimes = async (db: Reader, authorKey: number): Promise<NotificationTimes> =>
  timesOf(
    (await db
      .selectFrom('notification_settings')
      .where('author_key', '=', authorKey)
      .select(columns)
      .executeTakeFirst()) ?? NOTHING_CHOSEN,
  )

export const setTimes = (
  db: Writer,
  { author_key, workspace_key }: { author_key: number; workspace_key: number },
  times: NotificationTimes,
) =>
  db
    .insertInto('notification_settings')
    .values({ author_key, workspace_key, ...times })
    .onConflict((conflict) => conflict.column('author_key').doUpdateSet(times))
    .execute()

/** Mails are about what happens from this revision on. */
export function skipMailsBefore(
  db: Writer,
  { author_key, workspace_key }: { author_key: number; workspace_key: number },
  revision: number,
) {
  const state = { mail_due_at: null, mailed_revision: revision, mailing_revision: null, attempts: 0 }
  return db
    .insertInto('notification_state')
    .values({ author_key, workspace_key, ...state, claimed_until: 0, unsubscribe_token: newSecret() })
    .onConflict((conflict) => conflict.column('author_key').doUpdateSet(state))
    .execute()
}

/** The member whose mails this token turns off. */
export const findUnsubscriber = (db: Reader, token: string) =>
  db
    .selectFrom('notification_state as n')
    .innerJoin('members as m', 'm.author_key', 'n.author_key')
    .innerJoin('workspaces as w', 'w.key', 'n.workspace_key')
    .where('n.unsubscribe_token', '=', token)
    .select(['n.author_key', 'n.workspace_key', 'w.name as workspace_name'])
    .executeTakeFirst()
