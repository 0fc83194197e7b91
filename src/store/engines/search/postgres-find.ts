import { sql } from 'kysely'
import type { Direction } from '../../../contract/shapes'
import { isShortPrefix, type Term } from '../../../domain/search/terms'
import { type ParamFor, prepare, type Reader } from '../db'
import { documentColumns, type IndexedText, type Match, type MatchCondition, type MatchQuery } from './search-index'

const MAX_KEY = Number.MAX_SAFE_INTEGER

/**
 * A window reaches `back` buckets of 2^`bits` keys further than the one where the scan begins. It begins where the window before
 * it ends, so that it is covered by its last two buckets.
 */
const spans = {
  desc: {
    buckets: sql`(high >> bits) - back, (high >> bits) - back + 1`,
    first: sql`((high >> bits) - back) << bits`,
    last: sql`(((high >> bits_before) - back_before) << bits_before) - 1`,
    order: sql`DESC`,
  },
  asc: {
    buckets: sql`(low >> bits) + back, (low >> bits) + back - 1`,
    first: sql`((low >> bits_before) + back_before + 1) << bits_before`,
    last: sql`(((low >> bits) + back + 1) << bits) - 1`,
    order: sql`ASC`,
  },
}

type Size = readonly [bits: (typeof BUCKET_BITS)[number], back: number]

/** The last window has no buckets: it is everything that remains. */
function toLevels(sizes: readonly Size[]): string {
  const levels = [...sizes, []].map(([bits, back], level) => {
    const [bits_before, back_before] = sizes[level - 1] ?? []
    return { level, bits, back, bits_before, back_before }
  })
  return JSON.stringify(levels)
}

/** Small steps where matches may be frequent, as all of a window are read. */
const manyLevels = toLevels([
  [11, 1],
  [13, 1],
  [13, 3],
  [15, 1],
  [15, 3],
  [17, 1],
  [19, 1],
  [21, 1],
])
/** For queries whose time goes into finding the lexemes in the index, with any window. */
const fewLevels = toLevels([
  [11, 1],
  [15, 1],
  [19, 1],
])

/**
 * Windows of growing size over the keys. Most words are common enough for the first windows, so the rest is never looked at;
 * a word for which all are needed is rare.
 */
const windows = (param: ParamFor, scan: Direction) => {
  const { buckets, first, last } = spans[scan]
  return sql`SELECT * FROM (
      SELECT level, query,
        CASE WHEN bits IS NULL THEN query
          ELSE format('''B%1$s:%2$s'' | ''B%1$s:%3$s''', bits, ${buckets})::tsquery END AS buckets,
        greatest(low, ${first}) AS first, least(high, ${last}) AS last
      FROM ends CROSS JOIN jsonb_to_recordset(CAST(${param<string>('index_levels')} AS text)::jsonb)
        AS levels (level int, bits int, back int, bits_before int, back_before int)
    ) AS spans WHERE first <= last ORDER BY level`
}

const phraseTables = (param: ParamFor) => sql`phrases AS MATERIALIZED (
    SELECT * FROM jsonb_to_recordset(CAST(${param<string>('index_phrases')} AS text)::jsonb)
      AS p (words text, in_title boolean, is_wanted boolean)
  )`

/** Checked before the others, as it is fast. */
const containsPhrase = (param: ParamFor) => {
  const phrase = sql`CAST(${param<string>('index_phrase')} AS text)`
  return sql`AND (strpos(t.content_words, ${phrase}) > 0 OR strpos(t.title_words, ${phrase}) > 0)`
}

/** A condition on the words of `d`, for what lexemes cannot tell. */
const wordsMatch = sql`NOT EXISTS (SELECT 1 FROM phrases AS p
    WHERE (strpos(d.title_words, p.words) > 0 OR (NOT p.in_title AND strpos(d.content_words, p.words) > 0)) <> p.is_wanted)`

/**
 * The plan must not depend on what is searched for, so that it is made once: values come from common table expressions, where
 * the planner does not see them. `OFFSET 0` and `key + 0` keep it from sorting later or from reading by the primary key: the
 * lexemes decide what is read, window by window, and the other conditions are checked in order until there are enough.
 */
const prepareFind = (build: MatchCondition['build']) =>
  prepare((_db, param, scan: Direction, hasPhrases: boolean, shape: readonly string[]) => {
    const columns = sql.raw([...documentColumns, ...(hasPhrases ? ['title_words', 'content_words'] : [])].join(', '))
    return sql<Match>`WITH ends AS MATERIALIZED (
        SELECT CAST(${param<string>('index_lexemes')} AS text)::tsquery AS query,
          greatest(CAST(${param<string>('index_from')} AS text)::bigint, (SELECT min(key) FROM search_documents)) AS low,
          least(CAST(${param<string>('index_to')} AS text)::bigint, (SELECT max(key) FROM search_documents)) AS high
      ), windows AS MATERIALIZED (${windows(param, scan)})${hasPhrases ? sql`, ${phraseTables(param)}` : sql``}
      SELECT m.key, m.type, m.record_key, m.title_signature FROM (
        SELECT d.key, d.type, d.record_key, d.title_signature, ${hasPhrases ? sql`${wordsMatch} AND` : sql``} (${build(param, shape)}) AS is_match
        FROM windows AS w
        CROSS JOIN LATERAL (
          SELECT t.key + 0 AS key, ${columns} FROM search_documents AS t
          WHERE t.vector @@ w.query AND t.vector @@ w.buckets AND t.key + 0 BETWEEN w.first AND w.last ${hasPhrases ? containsPhrase(param) : sql``}
          ORDER BY t.key + 0 ${spans[scan].order} OFFSET 0
        ) AS d
        OFFSET 0
      ) AS m WHERE m.is_match LIMIT (SELECT CAST(${param<string>('index_limit')} AS text)::bigint)`
  })

type Find = ReturnType<typeof prepareFind>
const finds = new WeakMap<MatchCondition['build'], Find>()

export async function find(db: Reader, query: MatchQuery): Promise<Match[]> {
  if (!canMatch(query)) return []
  const { condition, scan, from = -MAX_KEY, to = MAX_KEY, limit } = query
  const { lexemes, phrases, isCostly } = toTextQuery(query)
  const hasPhrases = phrases.length > 0
  const run = finds.getOrInsertComputed(condition.build, () => prepareFind(condition.build))
  return run(db, [scan, hasPhrases, condition.shape], {
    ...condition.values,
    index_lexemes: lexemes,
    // As text: Bun prepares a statement again for numbers of another size.
    index_from: String(from),
    index_to: String(to),
    index_limit: String(limit),
    index_levels: isCostly ? fewLevels : manyLevels,
    index_phrase: phrases.find(({ is_wanted }) => is_wanted)?.words ?? '',
    index_phrases: JSON.stringify(phrases),
  })
}

/** PostgreSQL stores the length of a lexeme in 11 bits, and does not complain about a longer one. A unit is 3 bytes at most. */
const MAX_LEXEME_UNITS = 600

/** Each text is in one bucket of 2^11 keys, one of 2^13 and so on. A search looks at the buckets with the newest first. */
export const BUCKET_BITS = [11, 13, 15, 17, 19, 21] as const

/** These begin with an upper-case letter and contain a colon: no token has the former, no word of a scope the latter. */
const TITLE = 'T:'
export const bucketPrefix = (bits: number) => `B${bits}:`

const isCut = (token: string) => token.length > MAX_LEXEME_UNITS
const cut = (token: string) => (isCut(token) ? token.slice(0, MAX_LEXEME_UNITS).toWellFormed() : token)

const titleLexeme = (token: string) => TITLE + cut(token)

/** The lexemes of a text, without the lexemes of its buckets. */
export const lexemesOf = ({ title, content, scope }: IndexedText): Set<string> =>
  new Set([...scope, ...title.map(titleLexeme), ...title.map(cut), ...content.map(cut)])

/** Tokens as they are stored to look for phrases in. */
export const wordsOf = (tokens: readonly string[]): string => (tokens.length === 0 ? '' : ` ${tokens.join(' ')} `)

/** What a text's words contain if a term matches. */
const wordsOfTerm = ({ tokens, isPrefix }: Term): string => ` ${tokens.join(' ')}${isPrefix ? '' : ' '}`

const quote = (lexeme: string) => `'${lexeme.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`

/** The parts of the text of a tsquery. */
export const lexeme = (word: string) => quote(cut(word))
const not = (query: string) => `!(${query})`
const allOf = (queries: readonly string[]) => queries.join(' & ')
const anyOf = (queries: readonly string[]) => `(${queries.join(' | ')})`

/** For a phrase: all its tokens, wherever they are, but for a last letter that too many lexemes begin with. */
const lexemesOfTerm = (term: Term): string =>
  allOf(
    term.tokens.slice(0, isShortPrefix(term) ? -1 : undefined).map((token, at) => {
      const isBeginning = isCut(token) || (term.isPrefix && at === term.tokens.length - 1)
      return quote(term.inTitle ? titleLexeme(token) : cut(token)) + (isBeginning ? ':*' : '')
    }),
  )

/** Every text matches it. */
const ANY_TEXT = `${quote(bucketPrefix(BUCKET_BITS.at(-1)!))}:*`

/** Words that must, or must not, follow each other. An index of lexemes cannot tell. */
export interface Phrase {
  words: string
  in_title: boolean
  is_wanted: boolean
}

export interface TextQuery {
  /** The text of a tsquery. */
  lexemes: string
  phrases: Phrase[]
  /** It has many lexemes, or stands for many: the beginnings of words do. */
  isCostly: boolean
}

const MANY = 50

/** Its lexemes do not say all about it. */
const needsCheck = ({ tokens }: Term) => tokens.length > 1 || tokens.some(isCut)
/** Looked for in the words of what the lexemes find: for a prefix, the index would have to read all texts that have it. */
const needsCheckAsExcluded = (term: Term) => term.isPrefix || needsCheck(term)

const toPhrase = (term: Term, is_wanted: boolean): Phrase => ({
  words: wordsOfTerm(term),
  in_title: term.inTitle,
  is_wanted,
})

function toTextQuery({ terms, scope, outOfScope }: MatchQuery): TextQuery {
  const none = terms.none.filter((term) => !needsCheckAsExcluded(term))
  const wanted = [...terms.all.map(lexemesOfTerm), ...scope.map((group) => anyOf(group.map(lexeme)))]
  const unwanted = [...none.map(lexemesOfTerm), ...outOfScope.map(lexeme)]
  return {
    // An index of lexemes cannot begin with what is missing.
    lexemes: allOf([...(wanted.length === 0 ? [ANY_TEXT] : wanted), ...unwanted.map(not)]),
    phrases: [
      ...terms.all.filter(needsCheck).map((term) => toPhrase(term, true)),
      ...terms.none.filter(needsCheckAsExcluded).map((term) => toPhrase(term, false)),
    ],
    isCostly: scope.flat().length > MANY || terms.all.some((term) => term.isPrefix && !isShortPrefix(term)),
  }
}

/** An empty group has no words that could be in the scope. */
const canMatch = ({ scope }: MatchQuery): boolean => scope.every((group) => group.length > 0)
