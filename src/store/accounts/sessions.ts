import type { Session } from '../../contract/sessions'
import type { Slice } from '../../domain/lists/paging'
import type { Viewer } from '../../domain/permissions'
import { timestamp } from '../../domain/timestamps'
import { deletePushSubscription } from '../attention/push'
import type { Reader, Writer } from '../engines/db'
import { listRows } from '../lists/list'

/** A browser that is signed in. */
export interface SessionRow {
  key: number
  id: string
  workspace_key: number
  author_key: number
  name: string
  created_at: number
  last_used_at: number
  renewed_at: number
  expires_at: number
}

const columns = [
  ...(['key', 'id', 'workspace_key', 'author_key', 'name'] as const),
  ...(['created_at', 'last_used_at', 'renewed_at', 'expires_at'] as const),
]

/** The session of this secret, for as long as it lasts and its member may sign in. */
export const findSession = (
  db: Reader,
  hash: string,
  now: number,
): Promise<(SessionRow & { author_id: string }) | undefined> =>
  db
    .selectFrom('sessions as s')
    .innerJoin('members as m', 'm.author_key', 's.author_key')
    .innerJoin('authors as a', 'a.key', 's.author_key')
    .where('s.hash', '=', hash)
    .where('s.expires_at', '>', now)
    .where('m.is_deactivated', '=', false)
    .select(columns.map((column) => `s.${column}` as const))
    .select('a.id as author_id')
    .executeTakeFirst()

export const findSessionByKey = (db: Reader, key: number): Promise<SessionRow | undefined> =>
  db.selectFrom('sessions').where('key', '=', key).select(columns).executeTakeFirst()

export const insertSession = (db: Writer, session: Omit<SessionRow, 'key'> & { hash: string }): Promise<SessionRow> =>
  db.insertInto('sessions').values(session).returning(columns).executeTakeFirstOrThrow()

/** The sessions of the viewer, and how many. */
export function listSessions(db: Reader, viewer: Viewer, slice: Slice) {
  const ranges = [{ workspace_key: viewer.workspace.key, author_key: viewer.author.key }]
  return listRows(db, { table: 'sessions', key: 'key', at: 'created_at', id: 'id', ranges }, slice, (keys) =>
    keys.innerJoin('sessions as s', 's.key', 'k.key').select(columns.map((column) => `s.${column}` as const)),
  )
}

const sessionsOf = (db: Reader, viewer: Viewer) =>
  db
    .selectFrom('sessions')
    .where('workspace_key', '=', viewer.workspace.key)
    .where('author_key', '=', viewer.author.key)

/** All of them: nobody has many. */
export const findSessionsOf = (db: Reader, viewer: Viewer): Promise<SessionRow[]> =>
  sessionsOf(db, viewer).select(columns).execute()

export const findSessionOf = (db: Reader, viewer: Viewer, id: string): Promise<SessionRow | undefined> =>
  sessionsOf(db, viewer).where('id', '=', id).select(columns).executeTakeFirst()

/** Notes that a session was used, and when it ends now. False where it ended meanwhile. */
export const setSessionUsed = async (
  db: Writer,
  key: number,
  used: { last_used_at: number; renewed_at: number; expires_at: number },
): Promise<boolean> =>
  (await db.updateTable('sessions').set(used).where('key', '=', key).returning('key').executeTakeFirst()) !== undefined

/** All sessions of a member; the tokens of their pages go with the member's other tokens. */
export const deleteSessionsOf = (db: Writer, workspaceKey: number, authorKey: number) =>
  db.deleteFrom('sessions').where('workspace_key', '=', workspaceKey).where('author_key', '=', authorKey).execute()

/**
 * Ends a session: neither it nor a token of its pages works from here on. The session goes first, so that a token that
 * is being made for it at this moment is either there to go too, or is not made.
 */
export async function deleteSession(db: Writer, session: Pick<SessionRow, 'key' | 'workspace_key' | 'author_key'>) {
  await db.deleteFrom('sessions').where('key', '=', session.key).execute()
  await deletePushSubscription(db, session.key)
  await pageTokens(db, session).execute()
}

const pageTokens = (db: Writer, { key, workspace_key, author_key }: Parameters<typeof deleteSession>[1]) =>
  db
    .deleteFrom('tokens')
    .where('workspace_key', '=', workspace_key)
    .where('author_key', '=', author_key)
    .where('kind', '=', 'page')
    .where('session_key', '=', key)

export const findPageToken = (db: Reader, hash: string) =>
  db.selectFrom('tokens').where('hash', '=', hash).where('kind', '=', 'page').select('expires_at').executeTakeFirst()

/** Inserts a page token of a session and deletes expired ones. Inserting the same token twice has no effect. */
export async function insertPageToken(
  db: Writer,
  session: SessionRow,
  token: { id: string; hash: string; created_at: number; expires_at: number },
) {
  await pageTokens(db, session).where('expires_at', '<=', token.created_at).execute()
  await db
    .insertInto('tokens')
    .values({
      ...token,
      workspace_key: session.workspace_key,
      author_key: session.author_key,
      session_key: session.key,
      kind: 'page',
      name: '',
      scopes: 'admin',
      last_used_at: null,
    })
    .onConflict((conflict) => conflict.column('hash').doNothing())
    .execute()
}

export const deleteExpiredSessions = (db: Writer, now: number) =>
  db.deleteFrom('sessions').where('expires_at', '<=', now).execute()

export const toSession = (row: SessionRow, currentKey: number | undefined): Session => ({
  id: row.id,
  name: row.name,
  created_at: timestamp(row.created_at),
  last_used_at: timestamp(row.last_used_at),
  expires_at: timestamp(row.expires_at),
  is_current: row.key === currentKey,
})
