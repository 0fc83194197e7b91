import type { InfiniteData } from '@tanstack/react-query'
import type { Page } from '../../../contract/shapes'

/** The loaded pages of a list, in order, each with the cursor it was loaded by. */
export type Pages<T> = InfiniteData<Page<T>, string | undefined>

/** A whole list, or its loaded pages. */
export type Listed<T> = T[] | Pages<T>

/** Which records belong to a list, in which order. */
export interface ListRules<T> {
  has(record: T): boolean
  isBefore(a: T, b: T): boolean
  /** Whether a record says too little to add it: it only changes where it is. */
  isClosed?: boolean
}

export const listRecords = <T>(data: Listed<T> | undefined): T[] =>
  data === undefined ? [] : Array.isArray(data) ? data : data.pages.flatMap((page) => page.data)

export const findRecord = <T extends { id: string }>(data: Listed<T> | undefined, id: string): T | undefined =>
  listRecords(data).find((record) => record.id === id)

/** Changes the records of a list. Those mapped to undefined are removed. */
export function mapRecords<T>(data: Listed<T>, edit: (record: T) => T | undefined): Listed<T> {
  if (Array.isArray(data)) return mapArray(data, edit)
  let gone = 0
  const pages = data.pages.map((page) => {
    const records = mapArray(page.data, edit)
    gone += page.data.length - records.length
    return records === page.data ? page : { ...page, data: records }
  })
  return pages.every((page, at) => page === data.pages[at]) ? data : withCount({ ...data, pages }, -gone)
}

/** The same array if nothing has changed. */
function mapArray<T>(records: T[], edit: (record: T) => T | undefined): T[] {
  let isChanged = false
  const next = records.flatMap((record) => {
    const edited = edit(record)
    if (edited !== record) isChanged = true
    return edited === undefined ? [] : [edited]
  })
  return isChanged ? next : records
}

const withCount = <T>(data: Pages<T>, change: number): Pages<T> =>
  change === 0
    ? data
    : { ...data, pages: data.pages.map((page) => ({ ...page, total_count: page.total_count + change })) }

/** Puts a record where it belongs in a list: nowhere if it does not belong there, or to a part that is not loaded. */
export function placeRecord<T extends { id: string }>(data: Listed<T>, record: T, rules: ListRules<T>): Listed<T> {
  const all = listRecords(data)
  const at = all.findIndex(({ id }) => id === record.id)
  if (at >= 0 && rules.has(record)) {
    const [before, after] = [all[at - 1], all[at + 1]]
    const stays = (!before || !rules.isBefore(record, before)) && (!after || !rules.isBefore(after, record))
    if (stays) return mapRecords(data, (known) => (known.id === record.id ? record : known))
  }
  const others = at < 0 ? data : mapRecords(data, (known) => (known.id === record.id ? undefined : known))
  return rules.has(record) ? insertRecord(others, record, rules) : others
}

function insertRecord<T>(data: Listed<T>, record: T, { isBefore }: ListRules<T>): Listed<T> {
  const insert = (records: T[]) => {
    const at = records.findIndex((other) => isBefore(record, other))
    return at < 0 ? [...records, record] : records.toSpliced(at, 0, record)
  }
  if (Array.isArray(data)) return insert(data)
  const { pages } = data
  const next = pages.findIndex((page) => page.data.some((other) => isBefore(record, other)))
  const isAtStart =
    next >= 0 && listRecords(data)[0] === pages[next]!.data[0] && isBefore(record, pages[next]!.data[0]!)
  if (pages.length === 0 || (next < 0 && pages.at(-1)!.next_cursor) || (isAtStart && pages[0]!.prev_cursor)) return data
  const at = next < 0 ? pages.length - 1 : next
  return withCount(
    { ...data, pages: pages.map((page, each) => (each === at ? { ...page, data: insert(page.data) } : page)) },
    1,
  )
}
