import type { Reader, Writer } from '../engines/db'
import type { Tables } from '../schema'

type Stored = Tables['mails']
export type MailRow = { [C in keyof Stored]: C extends 'key' | 'link_key' ? number : Stored[C] }
export type MailKind = Stored['kind']

/** Queues a mail, due at once. Returns its key. */
export async function insertMail(
  db: Writer,
  mail: Pick<MailRow, 'id' | 'kind' | 'address' | 'workspace_key' | 'author_key'> & { link_key?: number },
  now: number,
): Promise<number> {
  const values = { ...mail, created_at: now, due_at: now, claimed_until: 0, attempts: 0, last_error: null }
  const { key } = await db
    .insertInto('mails')
    .values({ ...values, status: 'pending' })
    .returning('key')
    .executeTakeFirstOrThrow()
  return key
}

const due = (db: Reader, now: number) =>
  db
    .selectFrom('mails')
    .where('due_at', '<=', now)
    .where('claimed_until', '<=', now)
    .orderBy('due_at')
    .orderBy('key')
    .select('key')

export const hasDueMail = async (db: Reader, now: number): Promise<boolean> =>
  (await due(db, now).limit(1).execute()).length > 0

/** Claims due mails until a time. Skips those that another node has claimed. */
export const claimDueMails = (db: Writer, now: number, until: number, limit: number): Promise<MailRow[]> =>
  db
    .updateTable('mails')
    .set({ claimed_until: until })
    .where('key', 'in', db.syntax.skipLocked(due(db, now).limit(limit)))
    .returningAll()
    .execute()

/** Changes a mail that this node has claimed. False if another node has claimed it since. */
export const setMail = async (
  db: Writer,
  { key, claimed_until }: MailRow,
  changes: Partial<Pick<MailRow, 'due_at' | 'claimed_until' | 'attempts' | 'status' | 'last_error'>>,
): Promise<boolean> =>
  (await db
    .updateTable('mails')
    .set(changes)
    .where('key', '=', key)
    .where('claimed_until', '=', claimed_until)
    .returning('key')
    .executeTakeFirst()) !== undefined

/** Also those that are just being sent: they are not sent again. */
export const cancelMailsOfLink = (db: Writer, linkKey: number) =>
  db
    .updateTable('mails')
    .set({ status: 'canceled', due_at: null, claimed_until: 0 })
    .where('due_at', '>=', 0)
    .where('link_key', '=', linkKey)
    .execute()

/** Whether a mail that this node has claimed is still to be sent. */
export const isStillDue = async (db: Reader, { key, claimed_until }: MailRow): Promise<boolean> =>
  (await db
    .selectFrom('mails')
    .where('key', '=', key)
    .where('claimed_until', '=', claimed_until)
    .where('due_at', 'is not', null)
    .select('key')
    .executeTakeFirst()) !== undefined

/** Mails that are sent or given up, and their addresses. */
export const deleteOldMails = (db: Writer, before: number) =>
  db.deleteFrom('mails').where('created_at', '<', before).where('due_at', 'is', null).execute()

/** Whom a mail is about. */
export const findRecipient = (db: Reader, authorKey: number) =>
  db
    .selectFrom('members as m')
    .innerJoin('authors as a', 'a.key', 'm.author_key')
    .innerJoin('users as u', 'u.key', 'm.user_key')
    .innerJoin('workspaces as w', 'w.key', 'm.workspace_key')
    .where('m.author_key', '=', authorKey)
    .select(['m.author_key', 'm.user_key', 'm.workspace_key', 'm.is_deactivated', 'a.id', 'a.name', 'u.email'])
    .select('w.name as workspace_name')
    .executeTakeFirst()

/** The active members with this e-mail address: one for each workspace. */
export const findMembersWithEmail = (db: Reader, email: string) =>
  db
    .selectFrom('users as u')
    .innerJoin('members as m', 'm.user_key', 'u.key')
    .innerJoin('workspaces as w', 'w.key', 'm.workspace_key')
    .where('u.email', '=', email)
    .where('m.is_deactivated', '=', false)
    .orderBy('w.slug')
    .select(['u.key as user_key', 'm.author_key', 'w.slug'])
    .execute()
