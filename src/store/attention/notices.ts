import { sql } from 'kysely'
import { DEFAULT_TIMES, mailTime, type NotificationTimes } from '../../domain/quiet-times'
import { newSecret } from '../../domain/secrets'
import type { Reader, Writer } from '../engines/db'

const settings = [
  ...(['mail', 'mail_hour', 'is_sooner', 'paused_until'] as const),
  ...(['quiet_from', 'quiet_to', 'time_zone'] as const),
] as const

/**
 * Has members notified of what is new in their inbox: sets when to mail them, and wakes the browsers that get pushes. Three
 * statements for a batch of members; those who want no mails get no row. Called in the transaction that writes the entries.
 */
export async function scheduleNotifications(
  db: Writer,
  workspaceKey: number,
  recipients: readonly { author_key: number; isUrgent: boolean }[],
  now: number,
): Promise<void> {
  if (recipients.length === 0) return
  const urgent = new Map(recipients.map(({ author_key, isUrgent }) => [author_key, isUrgent]))
  const keys = JSON.stringify([...urgent.keys()])
  const members = await db
    .selectFrom('members as m')
    .leftJoin('notification_settings as s', 's.author_key', 'm.author_key')
    .where(db.syntax.isInJson('m.author_key', keys))
    .where('m.workspace_key', '=', workspaceKey)
    .where('m.is_deactivated', '=', false)
    .select('m.author_key')
    .select(settings.map((column) => `s.${column}` as const))
    .orderBy('m.author_key')
    .execute()
  const due = members.flatMap((member) => {
    const mail_due_at = mailTime(timesOf(member), now, urgent.get(member.author_key)!)
    return mail_due_at === null ? [] : [{ author_key: member.author_key, mail_due_at }]
  })
  await setMailsDue(db, workspaceKey, due)
  await db
    .updateTable('push_subscriptions')
    .set({ due_at: sql`coalesce(due_at, ${now})` })
    .where(db.syntax.isInJson('author_key', keys))
    .where('workspace_key', '=', workspaceKey)
    .execute()
}

/** What a member chose, or the defaults. */
export const timesOf = (row: { [C in keyof NotificationTimes]: NotificationTimes[C] | null }): NotificationTimes =>
  row.mail === null ? DEFAULT_TIMES : (row as NotificationTimes)

/** Has members mailed by these times, or earlier if they are due earlier already. */
async function setMailsDue(db: Writer, workspace_key: number, due: { author_key: number; mail_due_at: number }[]) {
  if (due.length === 0) return
  const before = sql.ref('notification_state.mail_due_at')
  await db
    .insertInto('notification_state')
    .values(
      due.map((each) => ({
        ...each,
        workspace_key,
        mailed_revision: 0,
        mailing_revision: null,
        attempts: 0,
        claimed_until: 0,
        unsubscribe_token: newSecret(),
      })),
    )
    .onConflict((conflict) =>
      conflict.column('author_key').doUpdateSet({
        mail_due_at: sql`CASE WHEN ${before} <= excluded.mail_due_at THEN ${before} ELSE excluded.mail_due_at END`,
      }),
    )
    .execute()
}

const due = (db: Reader, now: number) =>
  db
    .selectFrom('notification_state')
    .where('mail_due_at', '<=', now)
    .where('claimed_until', '<=', now)
    .orderBy('mail_due_at')
    .select('author_key')

export const hasDueDigest = async (db: Reader, now: number): Promise<boolean> =>
  (await due(db, now).limit(1).execute()).length > 0

export const claimDueDigests = (db: Writer, now: number, until: number, limit: number) =>
  db
    .updateTable('notification_state')
    .set({ claimed_until: until })
    .where('author_key', 'in', db.syntax.skipLocked(due(db, now).limit(limit)))
    .returningAll()
    .execute()

export type NotificationState = Awaited<ReturnType<typeof claimDueDigests>>[number]

/** Changes the state of a member that this node has claimed. False if it was claimed by another meanwhile. */
export const setNotificationState = async (
  db: Writer,
  { author_key, claimed_until }: NotificationState,
  changes: Partial<Omit<NotificationState, 'author_key'>>,
): Promise<boolean> =>
  (await db
    .updateTable('notification_state')
    .set(changes)
    .where('author_key', '=', author_key)
    .where('claimed_until', '=', claimed_until)
    .returning('author_key')
    .executeTakeFirst()) !== undefined

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
      .select(settings)
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
