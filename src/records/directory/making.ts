import { roles } from '../../contract/members'
import type { Engine } from '../../store/engines/engine'
import { listSearched, type SearchedMember } from '../../store/member-search'
import { findPosition } from '../../store/workspaces'
import { BLOCK_SIZE, type Block, bytesOf, newBlock } from './block'
import { bitOf, Directory, order } from './directory'
import { openGrams } from './grams'

const PAGE = 500
/** What a member takes besides the index of their text: their key, role, time of coming and id. */
const BYTES_A_MEMBER = 8 + 8 + 1 + 4 + 32
/** Others get their turn between two steps. */
const REST_MS = 1

/**
 * Reads all members of a workspace, a little at a time, and indexes them. It is as of the revision it began at, or newer:
 * whoever changed meanwhile is in the log after that. Undefined if it would take more than so many bytes.
 */
export async function makeDirectory(read: Engine['read'], workspaceKey: number, mostBytes: number) {
  const position = await read((db) => findPosition(db, workspaceKey))
  const grams = openGrams()
  const blocks: Block[] = []
  const members: { keys: number[]; createdAt: number[]; bits: number[] } = { keys: [], createdAt: [], bits: [] }
  const ids: Packed[] = []
  let bytes = 0
  for await (const some of inBlocks(inOrder(read, workspaceKey))) {
    const block = newBlock(
      grams,
      some.map(({ search_text }) => search_text),
    )
    blocks.push(block)
    ids.push(packed(some.map(({ id }) => id)))
    for (const { author_key, created_at, role } of some) {
      members.keys.push(author_key)
      members.createdAt.push(created_at)
      members.bits.push(bitOf(role))
    }
    bytes += bytesOf(block) + some.length * BYTES_A_MEMBER
    if (bytes + grams.bytes() > mostBytes) return undefined
  }
  const indexed = {
    grams,
    blocks,
    keys: Float64Array.from(members.keys),
    createdAt: Float64Array.from(members.createdAt),
    bits: Uint8Array.from(members.bits),
    idOf: (number: number) => unpacked(ids[Math.floor(number / BLOCK_SIZE)]!, number % BLOCK_SIZE),
  }
  return new Directory(indexed, position, bytes + grams.bytes())
}

async function* inBlocks(members: AsyncIterable<SearchedMember>) {
  let block: SearchedMember[] = []
  for await (const member of members) {
    block.push(member)
    if (block.length < BLOCK_SIZE) continue
    yield block
    block = []
  }
  if (block.length > 0) yield block
}

/** Everyone, in the order in which they came: those of each role are in it, and are merged. */
async function* inOrder(read: Engine['read'], workspaceKey: number) {
  const lines = roles.map((role) => ofRole(read, workspaceKey, role))
  const heads = await Promise.all(lines.map((line) => line.next()))
  let last = 0
  while (true) {
    let first: number | undefined
    heads.forEach(({ value, done }, at) => {
      const best = first === undefined ? undefined : (heads[first]!.value as SearchedMember)
      if (!done && (!best || order(value.created_at, value.id, best.created_at, best.id) < 0)) first = at
    })
    if (first === undefined) return
    const member = heads[first]!.value as SearchedMember
    // Whoever gets another role meanwhile is seen twice.
    if (member.author_key !== last) yield member
    last = member.author_key
    heads[first] = await lines[first]!.next()
  }
}

async function* ofRole(read: Engine['read'], workspaceKey: number, role: (typeof roles)[number]) {
  let after = { created_at: Number.MIN_SAFE_INTEGER, id: '' }
  while (true) {
    await Bun.sleep(REST_MS)
    const page = await read((db) => listSearched(db, workspaceKey, role, after, PAGE))
    yield* page
    if (page.length < PAGE) return
    after = page.at(-1)!
  }
}

/** Short texts as one: a hundred thousand by themselves would each be looked at whenever memory is cleaned up. */
interface Packed {
  text: string
  starts: Uint32Array
}

function packed(texts: readonly string[]): Packed {
  const starts = new Uint32Array(texts.length + 1)
  texts.forEach((text, at) => {
    starts[at + 1] = starts[at]! + text.length
  })
  return { text: Buffer.from(texts.join(''), 'latin1').toString('latin1'), starts }
}

const unpacked = ({ text, starts }: Packed, at: number) => text.slice(starts[at], starts[at + 1])
