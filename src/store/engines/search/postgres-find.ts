import { sql } from 'kysely'
import type { Direction } from '../../../contract/shapes'
import { type ParamFor, prepare, type Reader } from '../../db'
import type { BUCKET_BITS } from './postgres-lexemes'
import { canMatch, toTextQuery } from './postgres-query'
import { documentColumns, type Match, type MatchCondition, type MatchQuery } from './search-index'

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
/** For where the time goes into finding the lexemes in the index, whatever the window. */
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
