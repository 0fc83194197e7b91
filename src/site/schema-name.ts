import { dereference, refName, type Schema } from './document'

/** Whether a response is one record, a list of records, or a page of them, and what the record is called. */
export interface Named {
  kind: 'record' | 'list' | 'page'
  name: string | undefined
  schema: Schema
}

export function schemaName(given: Schema): Named {
  const schema = dereference(given)
  const { data, next_cursor } = schema.properties ?? {}
  if (data?.items && next_cursor) return { kind: 'page', name: refName(data.items), schema: data.items }
  if (schema.items) return { kind: 'list', name: refName(schema.items), schema: schema.items }
  return { kind: 'record', name: refName(given), schema: given }
}
