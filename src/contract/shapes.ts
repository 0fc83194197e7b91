import Type, { type Static, type TProperties, type TSchema } from 'typebox'
import { MAX_RECORD_IDS, PAGE_SIZE } from './browser/constants'

export const Id = Type.String({ minLength: 1, maxLength: 100 })
export const Timestamp = Type.String({ format: 'date-time' })
export const Nullable = <T extends TSchema>(schema: T, description?: string) =>
  Type.Union([schema, Type.Null()], description ? { description } : {})

/** One of these strings. */
export const Choice = <const V extends readonly string[]>(values: V, options: object = {}) =>
  Type.Unsafe<V[number]>({ type: 'string', enum: [...values], ...options })

/** An optional id; `""` and `null` count as absent. */
export const OptionalId = Type.Optional(Type.String({ maxLength: 100, emptyIsAbsent: true }))

/** A text in a request body; null counts as empty. */
export const TextOrNull = (options: { maxLength: number; description: string }) =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], ...options })

/** A named schema of the API document. All its fields are required. */
export const Shape = <P extends TProperties>(title: string, properties: P, description?: string) =>
  Type.Object(properties, { title, additionalProperties: false, ...(description && { description }) })

/** A request body: unknown fields are refused. */
export const Body = <P extends TProperties>(properties: P) => Type.Object(properties, { additionalProperties: false })

/** The page envelope of every list. */
export const Page = <T extends TSchema>(record: T) =>
  Type.Object(
    {
      data: Type.Array(record),
      total_count: Type.Integer({
        minimum: 0,
        description: 'All records you may see that match the filters, whatever the page.',
      }),
      next_cursor: Nullable(Type.String()),
      prev_cursor: Nullable(Type.String()),
    },
    { additionalProperties: false },
  )
export type Page<T> = { data: T[]; total_count: number; next_cursor: string | null; prev_cursor: string | null }

export const directions = ['asc', 'desc'] as const
export type Direction = (typeof directions)[number]

/** The query parameters of every list. A list names its sorts, the default first, and its default direction. */
export const listQuery = <const S extends readonly [string, ...string[]], P extends TProperties>(
  sorts: S,
  direction: Direction,
  filters: P,
) =>
  Type.Object({
    after: Type.Optional(
      Type.String({
        description:
          '`next_cursor` or `prev_cursor` of a page of this list, or the id of a record in it, to get the records after that one.',
      }),
    ),
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: PAGE_SIZE, default: PAGE_SIZE, description: 'Records per page.' }),
    ),
    sort: Type.Optional(Choice(sorts, { default: sorts[0], description: 'What to sort by.' })),
    direction: Type.Optional(Choice(directions, { default: direction, description: 'Ascending or descending order.' })),
    ...filters,
  })

/** The characters of the longest text. */
export const MAX_TEXT_LENGTH = 100_000

export const Markdown = Type.String({
  minLength: 1,
  maxLength: MAX_TEXT_LENGTH,
  pattern: '\\S',
  description: 'Markdown (GFM).',
})
/** The text of something that can consist only of files. */
export const MarkdownOrFiles = Type.String({
  maxLength: MAX_TEXT_LENGTH,
  description: 'Markdown (GFM). It may be empty if you send `file_ids`.',
})
export const FileIds = Type.Optional(
  Type.Array(Id, {
    maxItems: 20,
    description: 'The ids of uploaded files. Files that the text does not reference yet are added at its end.',
  }),
)
export type Timestamp = Static<typeof Timestamp>

export const AvatarUrls = Shape('AvatarUrls', {
  xs: Type.String(),
  sm: Type.String(),
  base: Type.String(),
  lg: Type.String(),
  xl: Type.String(),
  xxl: Type.String(),
})
export type AvatarUrls = Static<typeof AvatarUrls>

const authorTypes = ['app', 'member'] as const

/** An app or a member, as the author of something. */
export const Author = Shape('Author', {
  avatar_urls: AvatarUrls,
  name: Type.String(),
  id: Id,
  type: Choice(authorTypes),
})
export type Author = Static<typeof Author>

/** What someone can no longer see. It has no names: they must not learn more than the id, which they already have. */
export const LostAccess = Shape(
  'LostAccess',
  {
    subject_type: Choice(['channel', 'thread', 'workspace'], { description: 'What you can no longer see.' }),
    subject_id: Id,
    reason: Choice(['made_private', 'removed', 'left', 'role_changed'], {
      description:
        '`role_changed`: you are a guest now, and see only the channels you are in and the people you share something with.',
    }),
  },
  'What you can no longer see: delete your copy of it. For a workspace, list the channels and members again.',
)
export type LostAccess = Static<typeof LostAccess>

export const RecordIds = Type.Array(Id, {
  minItems: 1,
  maxItems: MAX_RECORD_IDS,
  description: 'Ids of posts, comments and messages, separated by commas, or repeated.',
})
