import type { Static, TObject, TProperties, TSchema } from 'typebox'
import Type from 'typebox'
import { type ErrorCode, errors, Problem } from '../contract/errors'
import { MAX_TEXT_LENGTH } from '../contract/shapes'
import type { Parley } from '../gate/parley'
import { hideSecrets } from '../log'
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

/** What an agent can do about an error, where the error does not say it itself. */
const ADVICE: Partial<Record<ErrorCode, string>> = {
  not_found: 'Look the id up with `search`, `find_people` or one of the list tools.',
  forbidden: 'Do not try again; tell the person you work for.',
  insufficient_scope: 'Ask the person you work for to create a token with this scope in Settings, and to use it here.',
  unauthenticated: 'Ask the person you work for to create a new token in Settings, and to use it here.',
  already_resolved: 'Read it with `read_post`. To replace its resolution, reopen it first.',
  invalid_cursor: 'Call again without `after`.',
  event_gone: 'Call again without `after`.',
  history_changed: 'Call again without `after`: an older backup was restored.',
  idempotency_in_progress: 'Wait a second, then call again.',
  unavailable: 'Wait a few seconds, then call again.',
}

/** An error as a model reads it: what went wrong, and what to do. Bugs are logged, and their details are not sent. */
export function explain(parley: Parley, error: unknown): { text: string; code: ErrorCode } {
  const problem = error instanceof Problem ? error : internal(parley, error)
  const { code, detail, headers } = problem
  const wait = headers?.['Retry-After']
  const advice = wait && code === 'rate_limited' ? `Wait ${wait} s, then call again.` : ADVICE[code]
  return { code, text: hideSecrets([`${errors[code].title}.`, detail, advice].filter(Boolean).join(' ')) }
}

function internal({ log }: Parley, error: unknown): Problem {
  log.error('Unexpected error', {
    path: '/mcp',
    error: error instanceof Error ? (error.stack ?? String(error)) : String(error),
  })
  return new Problem('internal', 'Something went wrong on the server. Try again later.')
}
