import { sql } from 'kysely'
import { prepare, type Reader } from '../db'
import type { IndexScan, Read, SurplusEntry } from './search-index'
import { wordsOf } from './sqlite-words'

/** How many words are looked up, and how many of their occurrences are read, in one read: some tenths of a second. */
const MAX_WORDS = 1_000
const MAX_OCCURRENCES = 500_000
const MAX_SURPLUS = 1_000

/**
 * Compares all texts with the index in one pass over it. A query for each text would read long lists of texts again and again.
 *
 * Every word contributes a number to the digest of its text, which depends on the word and on its position. The digests of the
 * texts are made first; what the index holds is made into digests word by word. It takes 24 bytes for each text.
 */
export function openScan(): IndexScan {
  const digests = openDigests()
  let words = 0
  return {
    expect(texts) {
      for (const text of texts) {
        const all = wordsOf(text)
        words += all.length
        digests.expect(text.key, digestOf(all))
      }
    },
    isExpected: (text) => digests.isExpected(text.key, digestOf(wordsOf(text))),
    words: () => words,
    async run(read, report) {
      const surplus = new Map<number, string>()
      const onUnknown = (key: number, word: string) => {
        if (surplus.size < MAX_SURPLUS) surplus.set(key, word)
      }
      for await (const { word, positions, count } of occurrences(read, digests.slices)) {
        digests.addWord(word, positions, onUnknown)
        report(count)
      }
      return { different: digests.different(), surplus: [...surplus].map(([key, word]) => ({ key, word })) }
    },
    holds: holdsWord,
  }
}

interface Occurrences {
  word: string
  /** Keys of texts and positions in them, alternately. */
  positions: string
  count: number
}

/** Every word of the index with all its positions, in short reads. One that is very common comes in several parts. */
async function* occurrences(read: Read, slices: Digests['slices']): AsyncGenerator<Occurrences> {
  for (let last = ''; ; ) {
    const counted = await read((db) => countWords(db, last))
    if (counted.length === 0) return
    for (const batch of batchesOf(counted)) {
      const total = batch.reduce((all, { count }) => all + count, 0)
      for (const range of slices(Math.ceil(total / MAX_OCCURRENCES)))
        yield* await read((db) => readPositions(db, batch, range))
    }
    last = counted.at(-1)!.word
  }
}

interface Counted {
  word: string
  count: number
}

function* batchesOf(words: readonly Counted[]): Generator<Counted[]> {
  let batch: Counted[] = []
  let length = 0
  for (const word of words) {
    if (batch.length > 0 && length + word.count > MAX_OCCURRENCES) {
      yield batch
      batch = []
      length = 0
    }
    batch.push(word)
    length += word.count
  }
  if (batch.length > 0) yield batch
}

/** Virtual tables that show what the index holds. They belong to the connection, and are there once it was asked for them. */
const createVocabulary = prepare(
  () => sql<never>`CREATE VIRTUAL TABLE IF NOT EXISTS temp.search_words USING fts5vocab('main', 'search_index', 'row')`,
)
const createInstances = prepare(
  () =>
    sql<never>`CREATE VIRTUAL TABLE IF NOT EXISTS temp.search_positions USING fts5vocab('main', 'search_index', 'instance')`,
)

const wordsAfter = prepare(
  (_, param) => sql<Counted>`SELECT term AS word, cnt AS count FROM temp.search_words
    WHERE term > ${param<string>('last')} ORDER BY term LIMIT ${sql.lit(MAX_WORDS)}`,
)

/** The index is in the order of its words, so that grouping by them needs no sorting. */
const positionsOf = prepare(
  (
    _,
    param,
  ) => sql<Occurrences>`SELECT term AS word, group_concat(doc || ' ' || offset, ' ') AS positions, count(*) AS count
    FROM temp.search_positions WHERE term >= ${param<string>('first')} AND term <= ${param<string>('last')}
      AND doc BETWEEN ${param<number>('from')} AND ${param<number>('to')} GROUP BY term`,
)

const wordInText = prepare(
  (_, param) => sql<{ one: number }>`SELECT 1 AS one FROM search_index
    WHERE search_index MATCH ${param<string>('match')} AND rowid = ${param<number>('key')}`,
)

async function countWords(db: Reader, last: string): Promise<Counted[]> {
  await createVocabulary(db, [], {})
  return wordsAfter(db, [], { last })
}

async function readPositions(db: Reader, words: readonly Counted[], range: Range): Promise<Occurrences[]> {
  await createInstances(db, [], {})
  return positionsOf(db, [], { first: words[0]!.word, last: words.at(-1)!.word, ...range })
}

const holdsWord = async (db: Reader, { key, word }: SurplusEntry): Promise<boolean> =>
  (await wordInText(db, [], { key, match: `"${word.replaceAll('"', '""')}"` })).length > 0

/** Keys, both included. */
type Range = { from: number; to: number }

/** Two numbers of 32 bits. */
type Digest = readonly [number, number]
type Digests = ReturnType<typeof openDigests>

/** Digests of texts, in arrays that grow, by ascending keys. */
function openDigests() {
  let keys = new Float64Array(1024)
  let expected = new Uint32Array(2048)
  let found = new Uint32Array(2048)
  let length = 0

  /** Where a key is, or -1. Begins to look at a place, as keys that are looked for one after the other mostly ascend. */
  function indexOf(key: number, near: number): number {
    let low = near < length && keys[near]! <= key ? near : 0
    let step = 1
    while (low + step < length && keys[low + step]! <= key) {
      low += step
      step *= 2
    }
    let high = Math.min(length, low + step)
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if (keys[middle]! <= key) low = middle
      else high = middle
    }
    return low < length && keys[low] === key ? low : -1
  }

  return {
    expect(key: number, [one, other]: Digest) {
      if (length === keys.length) {
        keys = enlarge(keys, new Float64Array(2 * length))
        expected = enlarge(expected, new Uint32Array(4 * length))
        found = enlarge(found, new Uint32Array(4 * length))
      }
      keys[length] = key
      expected[2 * length] = one
      expected[2 * length + 1] = other
      length += 1
    },
    isExpected(key: number, [one, other]: Digest): boolean {
      const at = indexOf(key, 0)
      return at >= 0 && expected[2 * at] === one && expected[2 * at + 1] === other
    },
    /** Adds the occurrences of a word to the digests of their texts. */
    addWord(word: string, positions: string, onUnknown: (key: number, word: string) => void) {
      const [one, other] = hashWord(word)
      let at = 0
      forEachPair(positions, (key, position) => {
        const found_at = indexOf(key, at)
        if (found_at < 0) return onUnknown(key, word)
        at = found_at
        found[2 * at]! += mix(one, position)
        found[2 * at + 1]! += mix(other, position)
      })
    },
    different(): number[] {
      const different: number[] = []
      for (let at = 0; at < length; at++)
        if (expected[2 * at] !== found[2 * at] || expected[2 * at + 1] !== found[2 * at + 1]) different.push(keys[at]!)
      return different
    },
    /** So many ranges of keys that together cover all, with about as many texts each. */
    slices(count: number): Range[] {
      const borders = Array.from({ length: count - 1 }, (_, at) => keys[Math.floor(((at + 1) * length) / count)] ?? 0)
      const starts = [Number.MIN_SAFE_INTEGER, ...new Set(borders)]
      return starts.map((from, at) => ({ from, to: (starts[at + 1] ?? Number.MAX_SAFE_INTEGER) - 1 }))
    },
  }
}

function enlarge<Numbers extends Float64Array | Uint32Array>(numbers: Numbers, larger: Numbers): Numbers {
  larger.set(numbers)
  return larger
}

/** Calls back with each two of the numbers in a text. */
function forEachPair(text: string, onPair: (key: number, position: number) => void) {
  let key = 0
  let number = 0
  let isPosition = false
  let isNegative = false
  for (let at = 0; at <= text.length; at++) {
    const code = at < text.length ? text.charCodeAt(at) : SPACE
    if (code === MINUS) isNegative = true
    if (code >= ZERO) number = number * 10 + code - ZERO
    if (code !== SPACE) continue
    if (isPosition) onPair(key, number)
    else key = isNegative ? -number : number
    isPosition = !isPosition
    isNegative = false
    number = 0
  }
}

const [SPACE, MINUS, ZERO] = [0x20, 0x2d, 0x30]

function digestOf(words: readonly string[]): Digest {
  const sums = new Uint32Array(2)
  for (const [position, word] of words.entries()) {
    const [one, other] = hashWord(word)
    sums[0]! += mix(one, position)
    sums[1]! += mix(other, position)
  }
  return [sums[0]!, sums[1]!]
}

/** Two hashes of a word as FTS5 stores it: in lower case, and without half characters. */
function hashWord(word: string): Digest {
  const text = word.isWellFormed() ? word : word.toWellFormed()
  let one = 0x811c9dc5
  let other = 0x2545f491
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    const folded = code >= 0x41 && code <= 0x5a ? code + 0x20 : code
    one = Math.imul(one ^ folded, 0x01000193)
    other = Math.imul(other + folded, 0x5bd1e995)
    other ^= other >>> 15
  }
  return [one, other]
}

/** A number that depends on every bit of both: exchanging two words changes the sum. */
function mix(hash: number, position: number): number {
  let mixed = hash ^ Math.imul(position + 1, 0x9e3779b1)
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return (mixed ^ (mixed >>> 16)) >>> 0
}
