import { type Input, type OperationName, type OperationNamed, type Output, operations } from '../contract'
import type { Operation } from '../contract/operation'
import type { Direction, Page } from '../contract/shapes'
import { JsonText } from '../domain/json-text'
import {
  type Found,
  type FoundPage,
  type ListPosition,
  type PageRequest,
  pageCursors,
  pageRequest,
  toPage,
} from '../domain/lists/paging'
import type { ReadContext } from './context'

/** The operations that answer with a page. */
export type ListName = {
  [O in OperationName]: Input<O> extends { after?: string; limit?: number; sort?: string; direction?: Direction }
    ? OperationNamed<O> extends { query: object }
      ? O
      : never
    : never
}[OperationName]

type SortOf<O extends ListName> = NonNullable<Input<O>['sort' & keyof Input<O>]> & string
type RecordOf<O extends ListName> = Output<O> extends { data: (infer R)[] } ? R : never

/** One page of a list, as JSON or as rows, each of which may be JSON too, and the total number of records. */
type Listed<Record> =
  | { total: number; page: FoundPage }
  | { total: number; found: Found<ListPosition & { json: string }>; toRecord?: undefined }
  // biome-ignore lint/suspicious/noExplicitAny: `toRecord` takes rows of any type
  | { total: number; found: Found<any>; toRecord: (row: any) => Record }

/** Query parameters that select a page, not a list. */
const PAGING = ['after', 'around', 'limit', 'sort', 'direction']

/**
 * Declares a list: `find` gets one slice of it for this viewer. The sorts, their default and the filters come from the
 * contract. Cursors, both directions and the page around the records follow from that.
 */
export function listOf<O extends ListName>(
  name: O,
  find: (context: ReadContext, input: Input<O>, slice: PageRequest<SortOf<O>>) => Promise<Listed<RecordOf<O>>>,
) {
  const { params, query } = operations[name] as Required<Operation>
  const { sort, direction } = query.properties as unknown as {
    sort: { enum: SortOf<O>[] }
    direction: { default: Direction }
  }
  const filters = [...Object.keys(params?.properties ?? {}), ...Object.keys(query.properties)].filter(
    (field) => !PAGING.includes(field),
  )
  const options = { sorts: sort.enum, direction: direction.default }

  return async (context: ReadContext, input: Input<O>): Promise<Output<O> | JsonText<Output<O>>> => {
    const values = input as Record<string, unknown>
    const list = [name, ...filters.map((field) => String(values[field] ?? ''))].join(' ')
    const request = pageRequest(list, input, options)
    const listed = await find(context, input, request)
    if ('page' in listed) {
      if (listed.page.revision !== context.revision) context.onRevisionChanged()
      return toJsonPage(request, listed.page, listed.total)
    }
    if (!listed.toRecord) return joinPage(toPage(request, listed.found, listed.total, ({ json }) => json))
    return toPage(request, listed.found, listed.total, listed.toRecord) as Output<O>
  }
}

const joinPage = <T>({ data, ...rest }: Page<string>): JsonText<T> =>
  new JsonText(`{"data":[${data.join()}],${JSON.stringify(rest).slice(1)}`, rest)

function toJsonPage<T>(request: PageRequest<string>, found: FoundPage, total_count: number): JsonText<T> {
  const cursors = pageCursors(request, found, found.first, found.last)
  const tail = `],${JSON.stringify({ total_count, ...cursors }).slice(1)}`
  return new JsonText(writeAfter(found, tail), cursors)
}

/** Overwrites the extra record that was read after the page, if there is one: copying a page costs as much as reading it. */
function writeAfter({ json, end }: FoundPage, tail: string): Uint8Array<ArrayBuffer> {
  const length = end + tail.length
  if (length > json.length) return Buffer.concat([json.subarray(0, end), Buffer.from(tail)])
  new TextEncoder().encodeInto(tail, json.subarray(end))
  return json.subarray(0, length)
}

/** A list without records. */
export const EMPTY_LIST: Listed<never> = {
  total: 0,
  found: { rows: [], behind: false },
  toRecord: (row) => row as never,
}
