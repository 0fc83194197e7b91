import { Problem } from '../contract/errors'
import type { PageToken } from '../contract/sessions'
import { eventId } from '../domain/events/positions'
import { toAuthor } from '../domain/links'
import type { Viewer } from '../domain/permissions'
import { hashSecret, newSecret, pageSecret } from '../domain/secrets'
import { timestamp } from '../domain/timestamps'
import {
  deleteSession,
  findPageToken,
  findSession,
  insertPageToken,
  insertSession,
  type SessionRow,
  setSessionUsed,
} from '../store/accounts/sessions'
import { type ChangeContext, changeWorkspace } from '../store/changes/change'
import type { Reader, Writer } from '../store/engines/db'
import { findMemberViewer } from '../store/people/members'
import { getWorkspace, lockWorkspaces } from '../store/people/workspaces'
import type { AccountParts } from './parts'

const MINUTE_MS = 60 * 1000
const DAY_MS = 24 * 60 * MINUTE_MS
export const SESSION_MS = 30 * DAY_MS
/** All pages of a browser get the same token within a period. It is valid for three periods, so for at least ten minutes. */
const PERIOD_MS = 5 * MINUTE_MS
const TOKEN_PERIODS = 3

/** Whom someone proved to be. */
export interface Proven {
  authorKey: number
  /** Throws if what proved it is no longer good. Called in the transaction that signs them in, under its lock. */
  redeem(db: Writer): Promise<void>
}

/** The browser that someone signs in with. */
export interface Browser {
  name: string
  address: string
  /** The secret of the session it already has. */
  before?: string
}

export interface Started {
  secret: string
  viewer: Viewer
  session: SessionRow
  /** The workspaces that got events. */
  workspaceKeys: number[]
}

/**
 * Signs a member in. A session that the browser had before ends. `redeem` runs once the workspace is locked, and throws
 * if the member may no longer sign in: the password may have just been changed, or the member deactivated.
 */
export async function startSession(
  parts: AccountParts,
  db: Writer,
  browser: Browser,
  { authorKey, redeem }: Proven,
): Promise<Started> {
  const now = parts.clock()
  const secret = newSecret()
  const viewer = (await findMemberViewer(db, authorKey))!
  const findBefore = async () => (browser.before ? findSession(db, hashSecret(browser.before), now) : undefined)
  const workspaceKeys = [viewer.workspace.key, (await findBefore())?.workspace_key ?? viewer.workspace.key]
  await lockWorkspaces(db, workspaceKeys)
  await redeem(db)
  const before = await findBefore()
  if (before) await endSession(parts, db, before)
  const session = await changeWorkspace(parts, db, viewer, async ({ newId, announce, links }) => {
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
    announce('session.created', { id: row.id, name: row.name, member: toAuthor(links, viewer.author.stored) })
    return row
  })
  return { secret, viewer, session, workspaceKeys: [...new Set(workspaceKeys)] }
}

/** Ends a session, if it exists. */
export async function signOut(parts: AccountParts, secret: string | undefined) {
  if (!secret) return
  const find = (db: Reader) => findSession(db, hashSecret(secret), parts.clock())
  // Anyone can call this: without a session, no write transaction is started.
  if (!(await parts.engine.read(find))) return
  const ended = await parts.engine.write(async (db) => {
    const session = await find(db)
    if (session) await endSession(parts, db, session)
    return session
  })
  if (ended) parts.notify(ended.workspace_key)
}

/** Ends sessions of a member who changes the workspace, with the tokens of their pages. */
export async function endSessions({ db, viewer, links, announce }: ChangeContext, sessions: readonly SessionRow[]) {
  const member = toAuthor(links, viewer.author.stored)
  for (const session of sessions) {
    await deleteSession(db, session)
    announce('session.ended', { id: session.id, name: session.name, member })
  }
}

async function endSession(parts: AccountParts, db: Writer, session: SessionRow) {
  const viewer = (await findMemberViewer(db, session.author_key))!
  await changeWorkspace(parts, db, viewer, (context) => endSessions(context, [session]))
}

/** A token for the pages of a session; `renewedUntil` is set if the session was extended. */
export async function pageTokenFor(
  parts: AccountParts,
  secret: string | undefined,
): Promise<PageToken & { renewedUntil?: number }> {
  const now = parts.clock()
  const period = Math.floor(now / PERIOD_MS)
  if (!secret) throw signedOut()
  const token = pageSecret(secret, period)
  const hash = hashSecret(token)
  const { session, known, workspace } = await parts.engine.read(async (db) => {
    const session = await findSession(db, hashSecret(secret), now)
    return {
      session,
      known: await findPageToken(db, hash),
      workspace: session && (await getWorkspace(db, session.workspace_key)),
    }
  })
  if (!session) throw signedOut()
  const page = { token, member_id: session.author_id, events_cursor: eventId(workspace!.id, workspace!) }
  if (known) return { ...page, expires_at: timestamp(known.expires_at!) }

  const isDue = now - session.renewed_at >= DAY_MS
  const used = {
    last_used_at: now,
    renewed_at: isDue ? now : session.renewed_at,
    expires_at: isDue ? now + SESSION_MS : session.expires_at,
  }
  const expires_at = Math.min(used.expires_at, (period + TOKEN_PERIODS) * PERIOD_MS)
  const isAlive = await parts.engine.write(async (db) => {
    if (!(await setSessionUsed(db, session.key, used))) return false
    await insertPageToken(db, session, { id: parts.newId('tok', now), hash, created_at: now, expires_at })
    return true
  })
  if (!isAlive) throw signedOut()
  return { ...page, expires_at: timestamp(expires_at), ...(isDue && { renewedUntil: used.expires_at }) }
}

/** The member who is signed in, as of this moment: sessions are not cached. */
export async function findSessionViewer(db: Reader, secret: string | undefined, now: number): Promise<Viewer> {
  const session = secret ? await findSession(db, hashSecret(secret), now) : undefined
  const viewer = session && (await findMemberViewer(db, session.author_key))
  if (!viewer) throw signedOut()
  return viewer
}

const signedOut = () => new Problem('unauthenticated', 'You are not signed in.')
