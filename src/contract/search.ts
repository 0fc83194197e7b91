import Type, { type Static } from 'typebox'
import { Comment } from './comments'
import { Message } from './messages'
import { operation } from './operation'
import { ChannelReference, Post } from './posts'
import { Choice, Id, listQuery, Nullable, Page, Shape, Timestamp } from './shapes'

/** Matches are counted up to here. */
export const MAX_COUNTED = 1_000
export const MAX_QUERY_LENGTH = 10_000

export const searchTypes = ['post', 'comment', 'message'] as const
export type SearchType = (typeof searchTypes)[number]

export const Highlight = Shape('Highlight', {
  start: Type.Integer({
    minimum: 0,
    description: 'Where the match begins in `text`, in UTF-16 code units.',
    examples: [15],
  }),
  end: Type.Integer({ minimum: 1, description: 'Where it ends: the unit after its last.', examples: [24] }),
})
export type Highlight = Static<typeof Highlight>

export const Excerpt = Shape('Excerpt', {
  field: Choice(['title', 'content', 'resolution'], { description: 'What it was taken from.' }),
  text: Type.String({ description: 'Plain text, never HTML.', examples: ['Let us try the Brasserie.'] }),
  highlights: Type.Array(Highlight, { description: 'What matches in `text`, in order and without overlaps.' }),
})
export type Excerpt = Static<typeof Excerpt>

/** The post or thread that a result belongs to. */
export const SearchSubject = Shape('SearchSubject', {
  type: Choice(['post', 'thread']),
  id: Id,
  title: Type.String(),
  url: Type.String({ description: 'Its page in the web app.' }),
  channel: Nullable(ChannelReference, 'The channel of a post; null for a thread.'),
})
export type SearchSubject = Static<typeof SearchSubject>

const excerpts = Type.Array(Excerpt, { description: 'The title, if it matches, and up to three passages.' })
const literal = <const T extends SearchType>(type: T) => Choice([type])

const PostResult = Shape('PostResult', { type: literal('post'), post: Post, subject: SearchSubject, excerpts })
const CommentResult = Shape('CommentResult', {
  type: literal('comment'),
  comment: Comment,
  subject: SearchSubject,
  excerpts,
})
const MessageResult = Shape('MessageResult', {
  type: literal('message'),
  message: Message,
  subject: SearchSubject,
  excerpts,
})
export const SearchResult = Type.Union([PostResult, CommentResult, MessageResult], { title: 'SearchResult' })
export type SearchResult = Static<typeof SearchResult>

const results = Page(SearchResult).properties

/** The page envelope of every list, and what only a search can say. */
export const SearchPage = Shape('SearchPage', {
  ...results,
  total_count: Type.Integer({
    minimum: 0,
    maximum: MAX_COUNTED,
    description: `All results you may see; at most ${MAX_COUNTED.toLocaleString('en')}.`,
  }),
  total_is_capped: Type.Boolean({ description: `There are more than ${MAX_COUNTED.toLocaleString('en')} results.` }),
  is_incomplete: Type.Boolean({
    description: 'Older records are still being indexed after an upgrade, so some results may be missing.',
  }),
  did_you_mean: Nullable(
    Type.String(),
    'If nothing was found: the query with words that do occur in what you may see, or null.',
  ),
})
export type SearchPage = Static<typeof SearchPage>

const filter = (description: string) => Type.Optional(Type.String({ maxLength: 100, description }))

export const search = {
  list: operation({
    method: 'GET',
    path: '/v2/search',
    depends: 'caller',
    summary: 'Search posts, comments and messages.',
    description: [
      'All words must match. `"exact phrase"`, `-excluded`, `prefix*`, `title:word`, `in:channel`, `from:name`, `is:open`,',
      '`is:resolved`, `is:post`, `is:comment`, `is:message`, `before:2026-01-31` and `after:2026-01-31` narrow it down. Case, accents and character width are ignored. An acknowledged',
      'write is found by the next search.',
    ].join(' '),
    access: 'read',
    query: listQuery(['relevance', 'created_at'], 'desc', {
      q: Type.Optional(
        Type.String({
          maxLength: MAX_QUERY_LENGTH,
          description: 'What to search for.',
          examples: ['brasserie in:general -draft'],
          anyText: true,
        }),
      ),
      types: Type.Optional(
        Type.Array(Choice(searchTypes), { maxItems: 10, description: 'Only records of these types, comma-separated.' }),
      ),
      channel_id: filter('Only posts of this channel and their comments.'),
      thread_id: filter('Only messages of this thread.'),
      author_id: filter('Only what this member or app wrote.'),
      resolved: Type.Optional(
        Type.Boolean({ description: '`true` for resolved posts and their comments only, `false` for open ones only.' }),
      ),
      created_after: Type.Optional(
        Type.String({ ...Timestamp, description: 'Only what was written at this time or later.' }),
      ),
      created_before: Type.Optional(
        Type.String({ ...Timestamp, description: 'Only what was written before this time.' }),
      ),
    }),
    output: SearchPage,
    errors: ['not_found', 'invalid_cursor', 'search_too_expensive'],
    costly: true,
  }),
}
