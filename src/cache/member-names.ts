import type { Position } from '../domain/position'
import type { Reader } from '../store/db'
import {
  findChangedMembers,
  findSearchedMembers,
  readSearchedMembers,
  type SearchedMember,
} from '../store/member-search'
import { isInLog, listPositions } from '../store/positions'
import { findPosition } from '../store/workspaces'
import { openCache } from '.'

/** After more changes than this it is quicker to read all names again. */
const MAX_CHANGES = 1_000
/** Of so many revisions the nonces are kept. */
const MAX_HISTORY = 500
/** Of all workspaces together; one may take half of it, which is some 200,000 members. */
const MAX_BYTES = 128 * 1024 * 1024
const BLOCK_SIZE = 1_000
const MAX_BLOCK_SIZE = 2 * BLOCK_SIZE
/** The approximate size of a member without their text. */
const MEMBER_BYTES = 200
/** Separates the texts of two members; no text contains it. */
const SEPARATOR = '\0'

/** Consecutive members in the order of their creation. Their texts are joined when the block is first searched. */
interface Block {
  members: SearchedMember[]
  texts?: { text: string; ends: Uint32Array }
}

/** The names of the members of a workspace, as of a position. */
interface Names {
  blocks: Block[]
  position: Position
  /** The nonces of the last revisions up to that position, by revision. */
  history: Map<number, number>
  bytes: number
}

/**
 * Searches the folded names and e-mail addresses of a workspace's members. They are read once and then updated from the
 * log. Scanning 100,000 of them takes a few milliseconds for any text, so there is no index.
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

  /** Whoever needs the same names meanwhile waits for them. Reads by `db` alone: a second connection may not be free. */
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
  const all = new Map<number, SearchedMember>()
  for await (const some of readSearchedMembers(db, workspaceKey)) {
    for (const member of some) all.set(member.author_key, member)
    // Let other requests run.
    await Bun.sleep(0)
  }
  const members = [...all.values()].sort(compare)
  const blocks: Block[] = []
  for (let from = 0; from < members.length; from += BLOCK_SIZE)
    blocks.push({ members: members.slice(from, from + BLOCK_SIZE) })
  const bytes = members.reduce((sum, { search_text }) => sum + MEMBER_BYTES + 3 * search_text.length, 0)
  const history = new Map([[position.revision, position.nonce]])
  return { blocks: blocks.length > 0 ? blocks : [{ members: [] }], position, history, bytes }
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
function put({ blocks }: Names, member: SearchedMember) {
  const at = blocks.findIndex(({ members }) => members.length > 0 && compare(member, members.at(-1)!) <= 0)
  const block = blocks.at(at)!
  const index = block.members.findIndex((other) => compare(member, other) <= 0)
  const isKnown = block.members[index]?.author_key === member.author_key
  block.members.splice(index < 0 ? block.members.length : index, isKnown ? 1 : 0, member)
  block.texts = undefined
  if (block.members.length > MAX_BLOCK_SIZE) {
    const rest = block.members.splice(BLOCK_SIZE)
    blocks.splice(blocks.indexOf(block) + 1, 0, { members: rest })
  }
}

function search({ blocks }: Names, wanted: string): SearchedMember[] {
  const found: SearchedMember[] = []
  for (const block of blocks) searchBlock(block, wanted, found)
  return found
}

function searchBlock(block: Block, wanted: string, found: SearchedMember[]) {
  const { members } = block
  block.texts ??= textsOf(members)
  const { text, ends } = block.texts
  let number = 0
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, ends[number - 1]!)) {
    while (ends[number]! <= at) number += 1
    found.push(members[number]!)
    number += 1
    if (number === members.length) return
  }
}

function textsOf(members: readonly SearchedMember[]): NonNullable<Block['texts']> {
  const text = members.map(({ search_text }) => search_text + SEPARATOR).join('')
  const ends = new Uint32Array(members.length)
  let end = 0
  for (let number = 0; number < members.length; number++) {
    end += members[number]!.search_text.length + 1
    ends[number] = end
  }
  return { text, ends }
}

type Creation = Pick<SearchedMember, 'created_at' | 'id'>

const compare = (one: Creation, other: Creation): number =>
  one.created_at - other.created_at || (one.id < other.id ? -1 : one.id > other.id ? 1 : 0)
