import { Problem } from '../contract/errors'
import type { PageToken } from '../contract/sessions'
import { toAuthor } from '../domain/links'
import type { Viewer } from '../domain/permissions'
import { hashSecret, newSecret, pageSecret } from '../domain/secrets'
import { timestamp } from '../domain/timestamps'
import type { Parley } from '../gate/parley'
import {
  deleteSession,
  findPageToken,
  findSession,
  insertPageToken,
  insertSession,
  type SessionRow,
  setSessionUsed,
} from '../store/accounts/sessions'
import { changeWorkspace } from '../store/changes/change'
import type { Reader, Writer } from '../store/engines/db'
import { findMemberViewer } from '../store/people/members'
import { lockWorkspaces } from '../store/people/workspaces'

const MINUTE_MS = 60 * 1000
const DAY_MS = 24 * 60 * MINUTE_MS
export const SESSION_MS = 30 * DAY_MS
/** All pages of a browser get the same token within a period. It is valid for three periods, so for at least ten minutes. */
const PERIOD_MS = 5 * MINUTE_MS
const TOKEN_PERIODS = 3

export interface Started {
  secret: string
  viewer: Viewer
  session: SessionRow
  /** The workspaces that got events. */
  workspaceKeys: number[]
}

/**
 * Signs a member in, within a transaction of the caller. A session that the browser had before ends. `check` runs once the
 * workspace is locked, and throws if the member may no longer sign in: the password may have just been changed, or the
 * member deactivated.
 */
export async function startSession(
  parley: Parley,
  db: Writer,
  authorKey: number,
  browser: { name: string; before?: string },
  check: () => Promise<void>,
): Promise<Started> {
  const now = parley.clock()
  const secret = newSecret()
  const viewer = (await findMemberViewer(db, authorKey))!
  const findBefore = async () => (browser.before ? findSession(db, hashSecret(browser.before), now) : undefined)
  const workspaceKeys = [viewer.workspace.key, (await findBefore())?.workspace_key ?? viewer.workspace.key]
  await lockWorkspaces(db, workspaceKeys)
  await check()
  const before = await findBefore()
  if (before) await endSession(parley, db, before)
  const session = await changeWorkspace(parley, db, viewer, async ({ newId, announce, links }) => {
    const row = await insertSession(db, {
      id: newId('ses'),
      workspace_key: viewer.workspace.key,
      author_key: viewer.author.key,
      hash: hashSecret(secret),
      name: browser.name,
      created_at: now,
      last_used_at: now,
      renewed_at: now,
      expires_at: now + SESSION_MS,
    })
    announce('session.created', { id: row.id, name: row.name, member: toAuthor(links, viewer.author.card) })
    return row
  })
  return { secret, viewer, session, workspaceKeys: [...new Set(workspaceKeys)] }
}

/** Ends a session, if it exists. */
export async function signOut(parley: Parley, secret: string | undefined) {
  if (!secret) return
  const find = (db: Reader) => findSession(db, hashSecret(secret), parley.clock())
  // Anyone can call this: without a session, no write transaction is started.
  if (!(await parley.engine.read(find))) return
  const ended = await parley.engine.write(async (db) => {
    const session = await find(db)
    if (session) await endSession(parley, db, session)
    return session
  })
  if (ended) parley.changes.notify(ended.workspace_key)
}

async function endSession(parley: Parley, db: Writer, session: SessionRow) {
  const viewer = (await findMemberViewer(db, session.author_key))!
  await changeWorkspace(parley, db, viewer, async ({ announce, links }) => {
    await deleteSession(db, session)
    announce('session.ended', { id: session.id, name: session.name, member: toAuthor(links, viewer.author.card) })
  })
}

/** A token for the pages of a session; `renewedUntil` is set if the session was extended. */
export async function pageTokenFor(
  parley: Parley,
  secret: string | undefined,
): Promise<PageToken & { renewedUntil?: number }> {
  const now = parley.clock()
  const period = Math.floor(now / PERIOD_MS)
  if (!secret) throw signedOut()
  const token = pageSecret(secret, period)
  const hash = hashSecret(token)
  const { session, known } = await parley.engine.read(async (db) => ({
    session: await findSession(db, hashSecret(secret), now),
    known: await findPageToken(db, hash),
  }))
  if (!session) throw signedOut()
  if (known) return { token, expires_at: timestamp(known.expires_at!) }

  const isDue = now - session.renewed_at >= DAY_MS
  const used = {
    last_used_at: now,
    renewed_at: isDue ? now : session.renewed_at,
    expires_at: isDue ? now + SESSION_MS : session.expires_at,
  }
  const expires_at = Math.min(used.expires_at, (period + TOKEN_PERIODS) * PERIOD_MS)
  const isAlive = await parley.engine.write(async (db) => {
    if (!(await setSessionUsed(db, session.key, used))) return false
    await insertPageToken(db, session, { id: parley.newId('tok', now), hash, created_at: now, expires_at })
    return true
  })
  if (!isAlive) throw signedOut()
  return { token, expires_at: timestamp(expires_at), ...(isDue && { renewedUntil: used.expires_at }) }
}

/** The member who is signed in, as of this moment: sessions are not cached. */
export async function findSessionViewer(db: Reader, secret: string | undefined, now: number): Promise<Viewer> {
  const session = secret ? await findSession(db, hashSecret(secret), now) : undefined
  const viewer = session && (await findMemberViewer(db, session.author_key))
  if (!viewer) throw signedOut()
  return viewer
}

const signedOut = () => new Problem('unauthenticated', 'You are not signed in.')
