import type { Page } from '../contract/page'
import { type PageRequest, pageCursors } from '../domain/paging'
import type { Viewer } from '../domain/permissions'
import type { Reader } from '../store/db'
import { listKeys, type Ranges } from '../store/keyset'
import type { Links } from './links'
import { Recall } from './memory'
import type { Kind, Sheet } from './shelf'
import { type Written, writtenPage } from './written'

/** What is needed to answer from memory, and from the database where that does not do. */
export interface Remembering {
  db: Reader
  viewer: Viewer
  links: Links
  revision: number
  memory: Recall
}

/** How records of a kind are read, written out, and remembered. */
export interface Remembered<Row, Record extends object> {
  kind: Kind
  find(db: Reader, keys: readonly number[]): Promise<Row[]>
  keyOf(row: Row): number
  toRecord(links: Links, row: Row): Record & { id: string }
  /** What is remembered besides the record: what its lists are sorted by, at least. */
  factsOf(row: Row): Sheet['facts']
}

/** Writes a record out, and keeps it for whoever asks for it again. */
export function remember<Row, Record extends object>(
  { links, memory }: Remembering,
  { kind, keyOf, toRecord, factsOf }: Remembered<Row, Record>,
  row: Row,
): Sheet {
  const record = toRecord(links, row)
  return memory.keep({ kind, key: keyOf(row), id: record.id, facts: factsOf(row) }, record)
}

/**
 * One page of a list: the database says which records are on it, memory what they are. Those that are not remembered are
 * read in one further statement. Undefined if the workspace has moved on since the request came in: then what was taken
 * from memory does not go with what the database says.
 */
export async function rememberedPage<Row, Record extends object>(
  context: Remembering,
  remembered: Remembered<Row, Record>,
  ranges: Ranges,
  request: PageRequest<string>,
  total_count: number,
): Promise<Written<Page<Record>> | undefined> {
  const { db, viewer, memory, revision } = context
  const listed = await listKeys(db, remembered.kind, viewer.workspace.key, ranges, request)
  if (listed.revision !== revision && memory !== Recall.none) return undefined

  const { behind, keys } = listed
  const ahead = keys.length > request.limit
  if (ahead) keys.pop()
  if (request.way === 'prev') keys.reverse()
  const sheets = await sheetsOf(context, remembered, keys)
  const placeOf = (sheet: Sheet | undefined) => sheet && { at: sheet.facts[request.sort]!, tie: sheet.id }
  const cursors = pageCursors(request, { ahead, behind }, placeOf(sheets[0]), placeOf(sheets.at(-1)))
  return writtenPage(sheets, { total_count, ...cursors })
}

/** Records that are remembered, or else read, in this order. */
export async function sheetsOf<Row, Record extends object>(
  context: Remembering,
  remembered: Remembered<Row, Record>,
  keys: readonly number[],
): Promise<Sheet[]> {
  const sheets = keys.map((key) => context.memory.withKey(remembered.kind, key))
  const missing = keys.filter((_, at) => sheets[at] === undefined)
  if (missing.length === 0) return sheets as Sheet[]

  const rows = await remembered.find(context.db, missing)
  const read = new Map(rows.map((row) => [remembered.keyOf(row), remember(context, remembered, row)]))
  // On PostgreSQL a record may have gone between the two statements; then it is not on the page.
  return keys.map((key, at) => sheets[at] ?? read.get(key)).filter((sheet) => sheet !== undefined)
}
