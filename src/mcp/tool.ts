import type { Static, TObject, TProperties, TSchema } from 'typebox'
import Type from 'typebox'
import { MAX_TEXT_LENGTH } from '../contract/page'
import type { AgentApi } from './agent-api'

export interface ToolResult {
  /** For the model: Markdown. */
  text: string
  /** For programs: the records. */
  data: Record<string, unknown>
}

export interface Tool {
  name: string
  title: string
  description: string
  input: TObject
  output: object
  /** Whether it changes anything; only shown to callers who may write. */
  writes?: 'adds' | 'replaces'
  /** Not shown to apps, which have no inbox. */
  isForMembers?: true
  run(api: AgentApi, input: unknown): Promise<ToolResult>
}

type Definition<P extends TProperties> = Omit<Tool, 'input' | 'output' | 'run'> & {
  input: P
  /** The fields of the structured content. */
  output: Record<string, object>
  run(api: AgentApi, input: Static<TObject<P>>): Promise<ToolResult>
}

export const tool = <P extends TProperties>({ input, output, ...definition }: Definition<P>): Tool => ({
  ...definition,
  input: Type.Object(input, { additionalProperties: false }),
  output: { type: 'object', properties: output, required: Object.keys(output) },
  run: definition.run as Tool['run'],
})

export const PAGE_SIZE = 20

/** The parameters of a page of a list. The maximum is lower than in the API, because a model reads all records. The API refuses a limit below 1. */
export const paging = {
  limit: Type.Optional(Type.Integer({ maximum: 50, default: PAGE_SIZE })),
  after: Type.Optional(Type.String({ description: 'A `next_cursor`, for more.' })),
}

/** A field of the contract with a shorter description, because all tools together have a limited size. Copies also what is not enumerable, such as the mark of an optional field. */
export const describe = <S extends TSchema>(schema: S, description?: string): S =>
  Object.create(Object.prototype, {
    ...Object.getOwnPropertyDescriptors(schema),
    description: { value: description, enumerable: description !== undefined },
  })

export const MarkdownOrFiles = Type.String({
  maxLength: MAX_TEXT_LENGTH,
  description: 'Markdown (GFM). May be empty with files.',
})
export const file_ids = Type.Optional(
  Type.Array(Type.String(), { maxItems: 20, description: 'Uploaded files, file_…, to append.' }),
)

const text = { type: 'string' }
const textOrNull = { type: ['string', 'null'] }

/** A record with these fields of text among others. */
export const record = (...fields: string[]) => ({
  type: 'object',
  properties: Object.fromEntries(['id', ...fields].map((name) => [name, text])),
})
export const recordsOf = (...fields: string[]) => ({ type: 'array', items: record(...fields) })

export const pageFields = { total_count: { type: 'integer' }, next_cursor: textOrNull }

/** The fields of a page besides its records. */
export const pageOf = ({ total_count, next_cursor }: { total_count: number; next_cursor: string | null }) => ({
  total_count,
  next_cursor,
})
