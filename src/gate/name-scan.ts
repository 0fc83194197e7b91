import type { MatchedMembers, SearchedMember } from '../store/people/member-search'

export const BLOCK_SIZE = 1_000
/** Separates the texts of two members; no text contains it. */
const SEPARATOR = '\0'

/** The texts of a block of members, one after the other, and where each ends. */
export interface Block {
  /** As bytes: a search for several letters takes half the time it takes in a string. */
  text: Buffer
  ends: Uint32Array
  /** 1 for members whose address has the common domain. */
  hasDomain: Uint8Array
}

/** The data that is searched. */
export interface SearchedNames {
  /** In the order of their creation. A change makes a new array: a search may still use the old one. */
  members: SearchedMember[]
  byId: Map<string, SearchedMember>
  /** One for each thousand members, built by the first search after a change. */
  blocks: (Block | undefined)[]
  /** The domain of most addresses. */
  domain: string
}

/** The members whose text contains this one. Scanning 100,000 takes a few milliseconds, so there is no index. */
export function search({ members, byId, blocks, domain }: SearchedNames, wanted: string): MatchedMembers {
  const indexes = new Uint32Array(members.length)
  const isInDomain = domain.includes(wanted)
  const bytes = Buffer.from(wanted)
  // One byte is found faster as a number.
  const needle = bytes.length === 1 ? bytes[0]! : bytes
  let count = 0
  for (let from = 0; from < members.length; from += BLOCK_SIZE) {
    blocks[from / BLOCK_SIZE] ??= joinTexts(members.slice(from, from + BLOCK_SIZE), domain)
    const block = blocks[from / BLOCK_SIZE]!
    count = isInDomain
      ? addByDomain(block, members, wanted, from, indexes, count)
      : addMatches(block, needle, from, indexes, count)
  }
  const get = (id: string) => {
    const member = byId.get(id)
    return member?.search_text.includes(wanted) ? member : undefined
  }
  return { allMembers: members, indexes: indexes.subarray(0, count), get }
}

function addMatches(
  { text, ends }: Block,
  wanted: Buffer | number,
  from: number,
  indexes: Uint32Array,
  count: number,
): number {
  let number = 0
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, ends[number - 1])) {
    while (ends[number]! <= at) number += 1
    indexes[count++] = from + number
    number += 1
    if (number === ends.length) break
  }
  return count
}

/** For a text that the common domain contains, such as one letter: all who have that domain match. Scanning takes ten times as long. */
function addByDomain(
  { hasDomain }: Block,
  members: readonly SearchedMember[],
  wanted: string,
  from: number,
  indexes: Uint32Array,
  count: number,
): number {
  for (let number = 0; number < hasDomain.length; number++)
    if (hasDomain[number] === 1 || members[from + number]!.search_text.includes(wanted))
      indexes[count++] = from + number
  return count
}

function joinTexts(members: readonly SearchedMember[], domain: string): Block {
  let end = 0
  return {
    text: Buffer.from(members.map(({ search_text }) => search_text + SEPARATOR).join('')),
    ends: Uint32Array.from(members, ({ search_text }) => {
      end += Buffer.byteLength(search_text) + 1
      return end
    }),
    hasDomain: Uint8Array.from(members, ({ search_text }) => Number(search_text.endsWith(domain))),
  }
}

export function findCommonDomain(members: readonly SearchedMember[]): string {
  const counts = new Map<string, number>()
  for (const { search_text } of members) {
    const domain = search_text.slice(search_text.lastIndexOf('@'))
    counts.set(domain, (counts.get(domain) ?? 0) + 1)
  }
  return [...counts].reduce((one, other) => (other[1] > one[1] ? other : one), ['', 0])[0]
}
