import { createCipheriv, createHash, createHmac } from 'node:crypto'
import { toLine } from '../contract/browser/excerpt'
import type { QueryPart } from '../contract/browser/search-query'
import type { Comment } from '../contract/comments'
import type { Message } from '../contract/messages'
import type { Post } from '../contract/posts'
import type { SearchResult, SearchSubject, SearchType } from '../contract/search'
import type { Direction } from '../contract/shapes'
import type { IdPrefix } from '../domain/ids'
import type { Links } from '../domain/links'
import {
  invalidCursor,
  type ListPoint,
  type ListPosition,
  type RecordStart,
  unknownRecord,
} from '../domain/lists/paging'
import { makeExcerpts, type SearchedField } from '../domain/search/excerpts'
import { replaceTokens, spellingCandidates } from '../domain/search/spelling'
import type { Term, Terms } from '../domain/search/terms'
import type { Reader } from '../store/engines/db'
import { searchIndexOf } from '../store/engines/search'
import type { BuildState } from '../store/search/build'
import { type Hit, type HitPosition, type HitQuery, hasHit, type Titles, titlesBefore } from '../store/search/hits'
import { findInIndex, findKeyAt } from '../store/search/index-keys'
import type { FoundRecord } from '../store/search/results'
import { typeNamed } from '../store/search/scope'
import type { ReadContext } from './context'

/** Characters of records that are searched for excerpts before others get their turn. */
const TURN_LENGTH = 100_000

export interface ShownHit {
  hit: Hit
  found: FoundRecord
}

/**
 * Results as the API shows them: the bytes of their JSON, as encoding a page of long ones at once would take 50 milliseconds. Searching
 * a long text for excerpts takes ten, and there may be a page of them.
 */
export async function toResults(links: Links, terms: Terms, shown: readonly ShownHit[]): Promise<Buffer[]> {
  const results: Buffer[] = []
  let length = 0
  for (const { hit, found } of shown) {
    results.push(Buffer.from(toResult(links, terms, hit, found)))
    length += found.record.length
    if (length < TURN_LENGTH) continue
    await new Promise(setImmediate)
    length = 0
  }
  return results
}

/** The record is not turned into JSON again: a page of long ones would take a tenth of a second. */
function toResult(links: Links, terms: Terms, { type }: Hit, found: FoundRecord): string {
  const name = typeNamed(type)
  const record = JSON.parse(found.record) as Post & Comment & Message
  const excerpts = makeExcerpts(terms, name === 'post' ? fieldsOfPost(record) : [contentOf(record)])
  const rest = { subject: subjectOf(links, found), excerpts } satisfies Partial<SearchResult>
  return `{"type":"${name}","${name}":${found.record},${JSON.stringify(rest).slice(1)}`
}

function subjectOf(links: Links, found: FoundRecord): SearchSubject {
  const { subject_id: id, post_title, channel_id, channel_name, thread_title } = found
  if (post_title === null)
    return { type: 'thread', id, title: thread_title ?? '', url: links.thread(id), channel: null }
  const channel = { id: channel_id!, name: channel_name! }
  return { type: 'post', id, title: post_title, url: links.post(id), channel }
}

const contentOf = ({ content }: { content: string }): SearchedField => ({ field: 'content', text: toLine(content) })

function fieldsOfPost(post: Post): SearchedField[] {
  const note = post.resolution?.resolved_html
  return [
    { field: 'title', text: post.title },
    contentOf(post),
    ...(note ? [{ field: 'resolution' as const, text: toLine(note) }] : []),
  ]
}

export type SearchSort = 'relevance' | 'created_at'

const TITLE = 'title'
const TEXT = 'text'

/** A list of results, as far as its cursors depend on it. */
interface Listed {
  sort: SearchSort
  direction: Direction
  titles: Titles
  index: IndexState
}

/** Of the index: what keys in cursors are encrypted with, and the lowest key; lower ones are of an index before it. */
type IndexState = Pick<BuildState, 'secret' | 'firstKey'>

/**
 * Where a result is, as cursors say it: by the time and the id of its record, which stay the same if the index is rebuilt, and
 * by what is exact until then: its key, and the keys of the matches that come first for their title.
 */
export function positionOf(
  { sort, direction, titles, index: { secret } }: Listed,
  { isInTitle, key }: Pick<HitPosition, 'isInTitle' | 'key'>,
  { id, created_at }: Pick<FoundRecord, 'id' | 'created_at'>,
): ListPosition {
  const keys = sealKeys(secret, { key, titles: titlesBefore({ isInTitle, key }, direction, titles) })
  if (sort === 'created_at') return { at: created_at, tie: `${id} ${keys}` }
  return { at: isInTitle ? TITLE : TEXT, tie: `${created_at} ${id} ${keys}` }
}

const typesByPrefix = new Map<string, SearchType>([
  ['post', 'post'],
  ['cmt', 'comment'],
  ['msg', 'message'],
] satisfies [IdPrefix, SearchType][])

const typeOf = (id: string) => typesByPrefix.get(id.split('_')[0]!)

/** The position in the index that a cursor means. */
export async function findPosition(
  { db, viewer }: ReadContext,
  sort: SearchSort,
  { at, id: tie, inclusive }: ListPoint,
  { secret, firstKey }: IndexState,
): Promise<HitPosition> {
  const [time, id, sealed] = sort === 'created_at' ? [String(at), ...tie.split(' ')] : tie.split(' ')
  const type = typeOf(id ?? '')
  const created_at = Number(time)
  if (!type || !Number.isSafeInteger(created_at)) throw invalidCursor('It was altered.')
  // Cursors of older versions have no keys; cursors from before the index was rebuilt have other keys.
  const keys = sealed === undefined ? undefined : openKeys(secret, sealed)
  const known = keys && keys.key >= firstKey ? keys : undefined
  return {
    isInTitle: sort === 'relevance' && at === TITLE,
    key: await findKeyAt(db, viewer.workspace.key, { created_at, type, id: id!, key: known?.key }),
    inclusive,
    titles: known?.titles,
  }
}

/** A record of the index by its id. It may be one that the viewer cannot see. */
export async function findRecord({ db, viewer }: ReadContext, from: RecordStart) {
  const type = typeOf(from.record)
  const known = type && (await findInIndex(db, viewer.workspace.key, { type, id: from.record }))
  if (!known) throw unknownRecord(from)
  return { ...known, id: from.record }
}

/** The keys of a result and of the titles. */
interface Keys {
  key: number
  titles: Titles
}

/**
 * Keys are counted over all workspaces, so they are encrypted: nobody learns from two cursors how much others wrote in between. The
 * same keys are always encrypted in the same way, by a nonce made of them, so that the same page has the same cursors.
 */
function sealKeys(secret: string, { key, titles }: Keys): string {
  const plain = encodeKeys([key, ...[...titles].sort((a, b) => b - a)])
  const nonce = nonceOf(secret, plain)
  return Buffer.concat([nonce, encrypt(secret, nonce, plain)]).toString('base64url')
}

/** Undefined if they were sealed by another database, or altered. */
function openKeys(secret: string, sealed: string): Keys | undefined {
  const bytes = Buffer.from(sealed, 'base64url')
  const nonce = bytes.subarray(0, NONCE_BYTES)
  const plain = encrypt(secret, nonce, bytes.subarray(NONCE_BYTES))
  if (!nonce.equals(nonceOf(secret, plain))) return undefined
  const [key, ...titles] = decodeKeys(plain)
  return { key: key!, titles: new Set(titles) }
}

const NONCE_BYTES = 8

const nonceOf = (secret: string, plain: Buffer): Buffer =>
  createHmac('sha256', secret).update(plain).digest().subarray(0, NONCE_BYTES)

/** In counter mode, encrypting again decrypts. */
function encrypt(secret: string, nonce: Buffer, bytes: Buffer): Buffer {
  const iv = Buffer.concat([nonce, Buffer.alloc(16 - nonce.length)])
  return createCipheriv('aes-256-ctr', createHash('sha256').update(secret).digest(), iv).update(bytes)
}

/** Each as the difference to the one before, in bytes of seven bits with the sign as the lowest: there may be a thousand. */
function encodeKeys(keys: readonly number[]): Buffer {
  const bytes: number[] = []
  let last = 0
  for (const key of keys) {
    let rest = 2 * Math.abs(key - last) + (key < last ? 1 : 0)
    for (; rest > 0x7f; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) + 0x80)
    bytes.push(rest)
    last = key
  }
  return Buffer.from(bytes)
}

function decodeKeys(bytes: Buffer): number[] {
  const keys: number[] = []
  let [last, value, unit] = [0, 0, 1]
  for (const byte of bytes) {
    value += (byte % 0x80) * unit
    unit *= 0x80
    if (byte >= 0x80) continue
    last += value % 2 === 0 ? value / 2 : -(value - 1) / 2
    keys.push(last)
    value = 0
    unit = 1
  }
  return keys
}

/** Words of a query that may be corrected, and corrections of each that are tried. */
const MAX_WORDS = 3
const MAX_TRIED = 5
/**
 * If finding nothing took a larger part of the time, or corrections have taken as much, no more are tried: each may take as long
 * again.
 */
export const MAX_SHARE = 0.1

type IsFound = (all: readonly Term[]) => Promise<boolean>

/**
 * The query corrected to words that occur in texts the viewer may see, if it then finds something. Queries with exclusions are
 * not corrected: exclusions would be looked up for each correction, and may be why nothing is found.
 */
export async function suggestQuery(
  db: Reader,
  query: HitQuery,
  q: string,
  parts: readonly QueryPart[],
  maxMs: number,
): Promise<string | null> {
  if (query.terms.none.length > 0) return null
  const end = performance.now() + maxMs
  const isFound: IsFound = async (all) =>
    performance.now() < end && (await hasHit(db, { ...query, terms: { all, none: [] } }))
  const corrections = new Map<string, string>()
  const words = query.terms.all.filter(({ tokens, isPrefix }) => tokens.length === 1 && !isPrefix)
  for (const word of words.slice(0, MAX_WORDS)) {
    if (await isFound([word])) continue
    const correction = await correct(db, word, isFound)
    if (correction) corrections.set(word.tokens[0]!, correction)
  }
  if (corrections.size === 0) return null
  const all = query.terms.all.map((term) => correctTerm(term, corrections))
  return (await isFound(all)) ? replaceTokens(q, parts, corrections) : null
}

/** The most plausible word that finds something. */
async function correct(db: Reader, { tokens: [word], ...term }: Term, isFound: IsFound): Promise<string | undefined> {
  const candidates = spellingCandidates(word!)
  if (candidates.length === 0) return undefined
  const known = await searchIndexOf(db).findTokens(db, candidates)
  const plausible = candidates.filter((candidate) => known.has(candidate)).slice(0, MAX_TRIED)
  for (const candidate of plausible) if (await isFound([{ ...term, tokens: [candidate] }])) return candidate
  return undefined
}

function correctTerm(term: Term, corrections: ReadonlyMap<string, string>): Term {
  if (!term.tokens.some((token) => corrections.has(token))) return term
  // `words` are completions of the prefix that was typed, not of its correction.
  return { ...term, tokens: term.tokens.map((token) => corrections.get(token) ?? token), words: undefined }
}
