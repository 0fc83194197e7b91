import { openCache } from '../domain/caches'
import type { Position } from '../domain/events/positions'
import { countLeading } from '../domain/lists/paging'
import type { Reader } from '../store/engines/db'
import { isInLog, listPositions } from '../store/log/events'
import {
  findChangedMembers,
  findSearchedMembers,
  readSearchedMembers,
  type SearchedMember,
} from '../store/people/member-search'
import { findPosition } from '../store/people/workspaces'
import { BLOCK_SIZE, findCommonDomain, type SearchedNames, search } from './name-scan'

/** After more changes than this it is quicker to read all names again. */
const MAX_CHANGES = 1_000
/** Of so many revisions the nonces are kept. */
const MAX_HISTORY = 500
/** Of all workspaces together; one may take half of it, which is some 200,000 members. */
const MAX_BYTES = 128 * 1024 * 1024
/** The approximate size of a member without their text. */
const MEMBER_BYTES = 200

/** The names of the members of a workspace, as of a position. */
interface Names extends SearchedNames {
  position: Position
  /** The nonces of the last revisions up to that position, by revision. */
  history: Map<number, number>
  bytes: number
}

/**
 * Searches the folded names and e-mail addresses of a workspace's members. They are read once and then updated from the
 * log.
 */
export function openMemberNames() {
  const known = openCache<number, Names>(MAX_BYTES, ({ bytes }) => bytes)
  const loading = new Map<number, Promise<Names>>()

  /** The members whose text contains this one, in the order of their creation, as of a position or newer. */
  return async function find(db: Reader, workspaceKey: number, position: Position, text: string) {
    const names = known.get(workspaceKey) ?? (await loading.get(workspaceKey))
    if (names && (await catchUp(db, names, workspaceKey, position))) return search(names, text)
    return search(await load(db, workspaceKey), text)
  }

  /** Concurrent callers share one load. Reads by `db` alone: a second connection may not be free. */
  function load(db: Reader, workspaceKey: number): Promise<Names> {
    const names = loadNames(db, workspaceKey)
      .then((loaded) => {
        known.set(workspaceKey, loaded)
        return loaded
      })
      .finally(() => {
        if (loading.get(workspaceKey) === names) loading.delete(workspaceKey)
      })
    loading.set(workspaceKey, names)
    return names
  }
}

async function loadNames(db: Reader, workspaceKey: number): Promise<Names> {
  // Later changes are in the log after this position.
  const position = await findPosition(db, workspaceKey)
  const byId = new Map<string, SearchedMember>()
  for await (const some of readSearchedMembers(db, workspaceKey)) {
    for (const member of some) byId.set(member.id, member)
    // Let other requests run.
    await Bun.sleep(0)
  }
  const members = [...byId.values()].sort(compare)
  const bytes = members.reduce((sum, { search_text }) => sum + MEMBER_BYTES + 3 * search_text.length, 0)
  const history = new Map([[position.revision, position.nonce]])
  return { members, byId, blocks: [], domain: findCommonDomain(members), position, history, bytes }
}

/** Applies the changes in the log up to a position. False if there are too many, or a backup was restored. */
async function catchUp(db: Reader, names: Names, workspaceKey: number, position: Position): Promise<boolean> {
  for (;;) {
    const before = names.position
    // Newer names will do, if they are of the same history.
    if (before.revision >= position.revision) return names.history.get(position.revision) === position.nonce
    if (!(await isInLog(db, workspaceKey, before))) return false
    const ids = await findChangedMembers(db, workspaceKey, before.revision, position.revision, MAX_CHANGES)
    if (!ids) return false
    const changed = await findSearchedMembers(db, workspaceKey, ids)
    const positions = await listPositions(db, workspaceKey, before.revision, position.revision, MAX_HISTORY)
    // If another request has caught up meanwhile, these rows may be older than the names.
    if (names.position !== before) continue
    if (changed.length > 0) names.members = [...names.members]
    for (const member of changed) put(names, member)
    for (const { revision, nonce } of positions) names.history.set(revision, nonce)
    for (const revision of names.history.keys()) {
      if (names.history.size <= MAX_HISTORY) break
      names.history.delete(revision)
    }
    names.position = position
    return true
  }
}

/** Inserts or replaces a member. The order is by time of creation, which never changes. */
function put({ members, byId, blocks }: Names, member: SearchedMember) {
  const index = countLeading(members.length, (at) => compare(members[at]!, member) < 0)
  const isKnown = byId.has(member.id)
  members.splice(index, isKnown ? 1 : 0, member)
  byId.set(member.id, member)
  const block = Math.floor(index / BLOCK_SIZE)
  // An inserted member moves all later ones.
  if (isKnown) blocks[block] = undefined
  else blocks.splice(block)
}

type Creation = Pick<SearchedMember, 'created_at' | 'id'>

const compare = (one: Creation, other: Creation): number =>
  one.created_at - other.created_at || (one.id < other.id ? -1 : one.id > other.id ? 1 : 0)
