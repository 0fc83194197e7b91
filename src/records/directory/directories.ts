import { isSamePosition, type Position } from '../../domain/position'
import type { Reader } from '../../store/db'
import type { Engine } from '../../store/engines/engine'
import { countChanges, listChangedMembers } from '../../store/events'
import { findSearched } from '../../store/member-search'
import { isInLog } from '../../store/positions'
import type { Directory } from './directory'
import { makeDirectory } from './making'

/** After more events than this it is quicker to read everyone again. */
const MOST_EVENTS = 20_000
/** Those who changed since the index was made are looked at one by one: with more than this, it is made anew. */
const MOST_LATE = 1_000
/** How long a directory that nobody uses keeps its room from others, and one that found none goes without. */
const IDLE_MS = 10 * 60_000

/** What the events of the log are about that change no name, no e-mail address and no role. */
const apart = new Set('post comment thread message channel app token session sign_in_link password webhook'.split(' '))
const nounOf = (type: string) => type.slice(0, type.indexOf('.'))

interface Known {
  directory: Directory
  usedAt: number
}

/**
 * The directories of the workspaces that are searched. Each is made in the background when it is first asked for, and
 * then follows the log; who asks before it is there, or in between, asks the database.
 */
export function openDirectories(read: Engine['read'], mostBytes: number) {
  const known = new Map<number, Known>()
  const refusedUntil = new Map<number, number>()
  let making: Promise<void> | undefined

  return {
    /** The members as of exactly this position, where there is nothing to catch up with. */
    present(workspaceKey: number, position: Position): Directory | undefined {
      const entry = known.get(workspaceKey)
      if (!entry || !isSamePosition(entry.directory.position, position)) return undefined
      if (entry.directory.lateCount > MOST_LATE) return undefined
      entry.usedAt = performance.now()
      return entry.directory
    },
    /** The members as of exactly this position, where there is a directory that can be brought there. */
    async asOf(db: Reader, workspaceKey: number, position: Position): Promise<Directory | undefined> {
      const entry = known.get(workspaceKey)
      if (!entry) makeOne(workspaceKey)
      if (!entry) return undefined
      const { directory } = entry
      entry.usedAt = performance.now()
      if (!isUpToDate(directory, position) && !(await catchUp(db, directory, workspaceKey, position)))
        drop(workspaceKey, entry)
      if (directory.lateCount > MOST_LATE) makeOne(workspaceKey)
      return isSamePosition(directory.position, position) ? directory : undefined
    },
    /** Once none is being made. */
    settled: async () => making,
  }

  function drop(workspaceKey: number, entry: Known) {
    if (known.get(workspaceKey) === entry) known.delete(workspaceKey)
  }

  /** One at a time: it is work that others have to wait for. */
  function makeOne(workspaceKey: number) {
    if (mostBytes === 0 || making || (refusedUntil.get(workspaceKey) ?? 0) > performance.now()) return
    making = make(workspaceKey)
      // The database is away; then whoever searches finds that out, and what comes next tries again.
      .catch(() => {})
      .finally(() => {
        making = undefined
      })
  }

  async function make(workspaceKey: number) {
    const directory = await makeDirectory(read, workspaceKey, mostBytes)
    const now = performance.now()
    known.delete(workspaceKey)
    for (const [key, { usedAt }] of known) if (usedAt < now - IDLE_MS) known.delete(key)
    const taken = [...known.values()].reduce((sum, each) => sum + each.directory.bytes, 0)
    if (directory && taken + directory.bytes <= mostBytes) known.set(workspaceKey, { directory, usedAt: now })
    else refusedUntil.set(workspaceKey, now + IDLE_MS)
  }
}

export type Directories = ReturnType<typeof openDirectories>

const isUpToDate = ({ position: { revision, nonce } }: Directory, asked: Position) =>
  revision > asked.revision || isSamePosition({ revision, nonce }, asked)

/** By the log, which has an event for every change and no gaps. False where it does not tell what changed. */
async function catchUp(db: Reader, directory: Directory, workspaceKey: number, position: Position): Promise<boolean> {
  const before = directory.position
  const [after, revision] = [before.revision, position.revision]
  if (revision <= after || revision - after > MOST_EVENTS) return false
  if (!(await isInLog(db, workspaceKey, before)) || !(await isInLog(db, workspaceKey, position))) return false
  const counts = await countChanges(db, workspaceKey, after, revision)
  if (counts.reduce((sum, { count }) => sum + count, 0) !== revision - after) return false
  const about = counts.map(({ type }) => nounOf(type)).filter((noun) => !apart.has(noun))
  if (about.some((noun) => noun !== 'member')) return false

  const ids = about.length === 0 ? [] : await listChangedMembers(db, workspaceKey, after, revision)
  if (ids.length > MOST_LATE) return false
  const changed = await findSearched(db, workspaceKey, ids)
  // Another request may have been quicker; then what was read here may be older than what it knows.
  if (directory.position === before) directory.moveOn(position, changed)
  return true
}
