import Type, { type Static } from 'typebox'
import { PAGE_SIZE } from './browser/constants'
import { FollowLevel } from './follows'
import { operation } from './operation'
import { Author, Id, Nullable, Shape, Timestamp } from './shapes'

/** Unread items are counted up to here, which is shown as “99+”. */
export const MAX_UNREAD_COUNT = 100

const UnreadCount = Type.Integer({
  minimum: 0,
  maximum: MAX_UNREAD_COUNT,
  description: `${MAX_UNREAD_COUNT} stands for that many or more.`,
})

export const Unread = Shape('Unread', {
  inbox_count: UnreadCount,
  channels: Type.Array(
    Shape('UnreadChannel', {
      id: Id,
      unread_count: Type.Integer({ ...UnreadCount, description: 'Unread posts; 0 in a muted channel.' }),
      level: FollowLevel,
    }),
    { description: 'Channels with unread posts, and those whose level you chose.' },
  ),
  threads: Type.Array(Shape('UnreadThread', { id: Id, unread_count: UnreadCount, level: FollowLevel }), {
    description: 'Of your latest 200 threads, those with unread messages.',
  }),
})
export type Unread = Static<typeof Unread>

/** The beginning of a comment or message. */
export const Preview = Shape('Preview', {
  id: Id,
  author: Author,
  created_at: Timestamp,
  excerpt: Type.String({
    description:
      'Its beginning on one line, as plain text. Items of lists, lines of code and cells of tables are separated by “ · ”.',
  }),
})
export type Preview = Static<typeof Preview>

export const PostState = Shape(
  'PostState',
  {
    post_id: Id,
    is_unread: Type.Boolean(),
    unread_count: Type.Integer({ ...UnreadCount, description: 'Unread comments.' }),
    first_unread_id: Nullable(Id, 'The first unread comment.'),
    level: FollowLevel,
    is_level_chosen: Type.Boolean(),
    latest_comment: Nullable(Preview),
    commenters: Type.Array(Author, { maxItems: 3, description: 'Who commented last, each once, the latest first.' }),
    pinned_at: Nullable(Timestamp, 'When it was pinned to its channel; null if it is not pinned.'),
    saved_at: Nullable(Timestamp, 'When you saved it; null if you have not saved it.'),
    remind_at: Nullable(Timestamp, 'When you want to be reminded of it; null if there is no reminder.'),
  },
  'What a post is to you.',
)
export type PostState = Static<typeof PostState>

export const ThreadState = Shape(
  'ThreadState',
  {
    thread_id: Id,
    is_unread: Type.Boolean(),
    unread_count: UnreadCount,
    first_unread_id: Nullable(Id, 'The first unread message.'),
    level: FollowLevel,
    is_level_chosen: Type.Boolean(),
    last_message: Nullable(Preview),
  },
  'What a thread is to you.',
)
export type ThreadState = Static<typeof ThreadState>

const ids = (noun: string) =>
  Type.Object({
    ids: Type.Array(Id, {
      minItems: 1,
      maxItems: PAGE_SIZE,
      description: `Ids of ${noun}, separated by commas, or repeated. Those you may not see are left out.`,
    }),
  })
const statesOf = <T extends typeof PostState | typeof ThreadState>(state: T) =>
  Type.Object({ data: Type.Array(state) }, { additionalProperties: false })

export const unread = {
  get: operation({
    method: 'GET',
    path: '/v2/unread',
    depends: 'personal',
    summary: 'Get what you have not read: in your inbox, channels and threads.',
    description: 'For the numbers beside your inbox, channels and threads.',
    access: 'read',
    output: Unread,
    errors: ['forbidden'],
  }),
  posts: operation({
    method: 'GET',
    path: '/v2/unread/posts',
    depends: 'personal',
    summary:
      'Get the state of posts for you: what is unread, how you follow them, who commented last, and whether they are pinned or saved.',
    description: 'For a list of posts: ask for all posts of a page in one request.',
    access: 'read',
    query: ids('posts'),
    output: statesOf(PostState),
    errors: ['forbidden'],
  }),
  threads: operation({
    method: 'GET',
    path: '/v2/unread/threads',
    depends: 'personal',
    summary: 'Get the state of threads for you: what is unread, how you follow them, and the last message.',
    description: 'For a list of threads: ask for all threads of a page in one request.',
    access: 'read',
    query: ids('threads'),
    output: statesOf(ThreadState),
    errors: ['forbidden'],
  }),
}
