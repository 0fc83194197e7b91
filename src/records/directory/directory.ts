import { roles as allRoles, type Role } from '../../contract/members'
import type { Slice } from '../../domain/paging'
import type { Position } from '../../domain/position'
import type { ListedKeys } from '../../store/filtered'
import type { SearchedMember } from '../../store/member-search'
import { openBounded } from '../bounded'
import { type Block, eachIn } from './block'
import { type Grams, gramsOf } from './grams'

/** What was indexed: members in the order in which they came, by their number in it. */
export interface Indexed {
  grams: Grams
  blocks: readonly Block[]
  keys: Float64Array
  createdAt: Float64Array
  idOf(number: number): string
  /** The role of each as a bit, see `bitOf`; none once what is indexed of a member is not so any more. */
  bits: Uint8Array
}

/** Someone who came, or changed, since the index was made. */
interface Late {
  member: SearchedMember
  bit: number
  /** How many of the indexed come before. */
  after: number
}

/** What may be kept of what was found, as a part of what the index takes. */
const FOUND_SHARE = 1 / 8
const FOUND_OVERHEAD = 200

export const bitOf = (role: Role) => 1 << allRoles.indexOf(role)

/** The members of a workspace as of one revision, or newer, to look for part of their names and e-mail addresses. */
export class Directory {
  private late: Late[] = []
  /** What was found last, for the next page of it. */
  private found: Found

  constructor(
    private readonly indexed: Indexed,
    public position: Position,
    private readonly indexBytes: number,
  ) {
    this.found = newFound(indexBytes)
  }

  get bytes() {
    return this.indexBytes * (1 + FOUND_SHARE)
  }

  get lateCount() {
    return this.late.length
  }

  /** Moves on to a newer revision: these came or changed on the way. */
  moveOn(position: Position, changed: readonly SearchedMember[]) {
    this.position = position
    if (changed.length === 0) return
    this.found = newFound(this.indexBytes)
    const keys = new Set(changed.map(({ author_key }) => author_key))
    const late = this.late.filter(({ member }) => !keys.has(member.author_key))
    for (const member of changed) late.push(this.newLate(member))
    this.late = late.sort((a, b) => order(a.member.created_at, a.member.id, b.member.created_at, b.member.id))
  }

  private newLate(member: SearchedMember): Late {
    const { keys, bits } = this.indexed
    const after = this.firstFrom(keys.length, (at) => at, member.created_at, member.id, false)
    if (keys[after] === member.author_key) bits[after] = 0
    return { member, bit: bitOf(member.role), after }
  }

  /** The slice of those with these roles whose text contains this one, and how many there are. */
  list(text: string, roles: readonly Role[], { scan, from, limit }: Slice): ListedKeys {
    const found = this.findOnce(text, roles)
    const total = found.length
    const edge = (past: boolean) => this.firstFrom(total, (at) => found[at]!, from!.at as number, from!.id, past)
    if (scan === 'asc') {
      const start = from ? edge(!from.inclusive) : 0
      return { keys: this.keysOf(found.subarray(start, start + limit + 1)), behind: start > 0, total }
    }
    const end = from ? edge(from.inclusive) : total
    const slice = found.subarray(Math.max(0, end - limit - 1), end)
    return { keys: this.keysOf(slice).reverse(), behind: end < total, total }
  }

  private findOnce(text: string, roles: readonly Role[]): Uint32Array {
    const name = `${roles} ${text}`
    const known = this.found.get(name)
    if (known) return known
    const found = this.find(text, roles).slice()
    this.found.set(name, found)
    return found
  }

  /** Numbers of members, in order. Those who are late come after the indexed ones in counting, not in order. */
  private find(text: string, roles: readonly Role[]): Uint32Array {
    const { grams, blocks, bits, keys } = this.indexed
    const wantedBits = roles.reduce((sum, role) => sum | bitOf(role), 0)
    const found = paperFor(keys.length)
    let count = 0
    let first = 0
    const sought = Buffer.from(text)
    const wanted = gramsOf(grams, sought)
    if (wanted)
      for (const block of blocks) {
        eachIn(block, sought, wanted, (place) => {
          const number = first + place
          if (bits[number]! & wantedBits) found[count++] = number
        })
        first += block.size
      }
    const late = this.late.flatMap(({ bit, member }, at) =>
      bit & wantedBits && member.search_text.includes(text) ? [at] : [],
    )
    return late.length === 0 ? found.subarray(0, count) : this.merged(found.subarray(0, count), late)
  }

  private merged(found: Uint32Array, late: readonly number[]): Uint32Array {
    const all = new Uint32Array(found.length + late.length)
    let next = 0
    let count = 0
    for (const at of late) {
      while (next < found.length && found[next]! < this.late[at]!.after) all[count++] = found[next++]!
      all[count++] = this.indexed.keys.length + at
    }
    all.set(found.subarray(next), count)
    return all
  }

  /** Where in a list of members, by their numbers, those begin who are not before this place, or who are past it. */
  private firstFrom(length: number, numberAt: (at: number) => number, createdAt: number, id: string, past: boolean) {
    let [low, high] = [0, length]
    while (low < high) {
      const middle = (low + high) >>> 1
      const compared = this.compare(numberAt(middle), createdAt, id)
      if (compared < 0 || (past && compared === 0)) low = middle + 1
      else high = middle
    }
    return low
  }

  private compare(number: number, createdAt: number, id: string): number {
    const { keys, createdAt: times, idOf } = this.indexed
    const late = this.late[number - keys.length]?.member
    if (late) return order(late.created_at, late.id, createdAt, id)
    return times[number]! - createdAt || compareText(idOf(number), id)
  }

  private keysOf(numbers: Uint32Array): number[] {
    const { keys } = this.indexed
    return Array.from(numbers, (number) => keys[number] ?? this.late[number - keys.length]!.member.author_key)
  }
}

type Found = ReturnType<typeof newFound>

const newFound = (indexBytes: number) =>
  openBounded<string, Uint32Array>(indexBytes * FOUND_SHARE, ({ byteLength }) => FOUND_OVERHEAD + byteLength)

export const order = (at: number, id: string, otherAt: number, otherId: string) =>
  at - otherAt || compareText(id, otherId)

const compareText = (text: string, other: string) => (text < other ? -1 : text > other ? 1 : 0)

/** What is found is written here, and read before anyone looks for something else. */
let paper = new Uint32Array(1_024)
function paperFor(length: number): Uint32Array {
  if (paper.length < length) paper = new Uint32Array(length)
  return paper
}
