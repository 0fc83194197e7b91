import { Problem } from '../../contract/errors'
import type { PageToken } from '../../contract/sessions'
import type { Viewer } from '../../domain/permissions'
import { hashSecret, newSecret, pageSecret } from '../../domain/secrets'
import { timestamp } from '../../domain/timestamps'
import type { Parley } from '../../gate/parley'
import { changeWorkspace } from '../../gate/write'
import { toAuthor } from '../../records/authors'
import type { Reader, Writer } from '../../store/db'
import { findMemberViewer } from '../../store/members'
import {
  deleteSession,
  findPageToken,
  findSession,
  insertPageToken,
  insertSession,
  type SessionRow,
  setSessionUsed,
} from '../../store/sessions'
import { lockWorkspaces } from '../../store/workspaces'

const MINUTE_MS = 60 * 1000
const DAY_MS = 24 * 60 * MINUTE_MS
export const SESSION_MS = 30 * DAY_MS
/** Pages of one browser get the same token within a period; it works for three of them, so for at least ten minutes. */
const PERIOD_MS = 5 * MINUTE_MS
const TOKEN_PERIODS = 3

export interface Started {
  secret: string
  viewer: Viewer
  session: SessionRow
  /** The workspaces whose logs this went into. */
  workspaceKeys: number[]
}

/**
 * Signs a member in, in a transaction of the caller's; what the browser was signed in as before ends. `check` looks again
 * whether they may, once nothing else changes the workspace: a password that was changed, or a member who was deactivated,
 * a moment ago lets nobody in.
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

/** Ends the session of this secret, if there is one. */
export async function signOut(parley: Parley, secret: string | undefined) {
  if (!secret) return
  const find = (db: Reader) => findSession(db, hashSecret(secret), parley.clock())
  // Anyone may ask: what is no session takes no turn among those who write.
  if (!(await parley.engine.read(find))) return
  const ended = await parley.engine.write(async (db) => {
    const session = await find(db)
    if (session) await endSession(parley, db, session)
    return session
  })
  if (ended) parley.pulse.beat(ended.workspace_key)
}

async function endSession(parley: Parley, db: Writer, session: SessionRow) {
  const viewer = (await findMemberViewer(db, session.author_key))!
  await changeWorkspace(parley, db, viewer, async ({ announce, links }) => {
    await deleteSession(db, session)
    announce('session.ended', { id: session.id, name: session.name, member: toAuthor(links, viewer.author.card) })
  })
}

/** A token for the pages of a session, and until when the session lasts if that was put off. */
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
  const isThere = await parley.engine.write(async (db) => {
    if (!(await setSessionUsed(db, session.key, used))) return false
    await insertPageToken(db, session, { id: parley.newId('tok', now), hash, created_at: now, expires_at })
    return true
  })
  if (!isThere) throw signedOut()
  return { token, expires_at: timestamp(expires_at), ...(isDue && { renewedUntil: used.expires_at }) }
}

const signedOut = () => new Problem('unauthenticated', 'Nobody is signed in in this browser.')
