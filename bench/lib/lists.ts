import { type OperationName, operations } from '../../src/contract'
import { type Cursor, decodeCursor, encodeCursor } from '../../src/domain/cursor'
import type { Fixtures } from './fixtures'
import type { Server } from './servers'
import { getBody } from './urls'

/** A list of the API in one of its orders, and as many different addresses of its pages as are wanted. */
export interface List {
  operation: OperationName
  sort: string
  /** Which part of it, where it is not all. */
  which?: string
  name: string
  pages(server: Server, token: string, count: number): Promise<string[]>
}

interface Asked {
  operation: OperationName
  sort?: string
  /** The list as its cursors name it. */
  bound: string
  path: string
  filters?: string
  /** What the table says of the filters. */
  which?: string
}

/** Every list and every order of it, with the filters that have an index of their own. */
export function listsOf(has: Fixtures): List[] {
  const posts = (sort: string): List[] => [
    list({ operation: 'posts.list', sort, bound: 'posts.list  ', path: '/v2/posts' }),
    list({ operation: 'posts.list', sort, which: 'one channel', ...inChannel }),
    list({ operation: 'posts.list', sort, which: 'resolved', ...ifResolved(true) }),
    list({ operation: 'posts.list', sort, which: 'open', ...ifResolved(false) }),
  ]
  const inChannel = { bound: `posts.list ${has.channel} `, path: '/v2/posts', filters: `channel_id=${has.channel}` }
  const ifResolved = (is: boolean) => ({ bound: `posts.list  ${is}`, path: '/v2/posts', filters: `resolved=${is}` })
  const members = {
    operation: 'members.list',
    bound: 'members.list admin,member,viewer,guest ',
    path: '/v2/members',
  } as const
  const comments = { operation: 'comments.list', path: `/v2/posts/${has.post}/comments` } as const
  const channels = { operation: 'channels.list', bound: 'channels.list  false', path: '/v2/channels' } as const
  return [
    ...posts('published_at'),
    ...posts('last_activity_at'),
    list({ ...comments, bound: `comments.list ${has.post} ` }),
    list({ ...comments, bound: `comments.list ${has.post} root`, filters: 'parent_id=root', which: 'top level' }),
    list({
      ...comments,
      bound: `comments.list ${has.post} ${has.comment}`,
      filters: `parent_id=${has.comment}`,
      which: 'replies',
    }),
    list({ operation: 'threads.list', sort: 'last_activity_at', bound: 'threads.list', path: '/v2/threads' }),
    list({
      operation: 'messages.list',
      bound: `messages.list ${has.thread}`,
      path: `/v2/threads/${has.thread}/messages`,
    }),
    list(members),
    list({ ...members, sort: 'last_seen_at' }),
    list({ ...members, bound: 'members.list viewer ', filters: 'roles=viewer', which: 'one role' }),
    list({ ...members, bound: `${members.bound}mar`, filters: 'q=mar', which: 'by q' }),
    list(channels),
    list({ ...channels, sort: 'name' }),
    list({
      operation: 'channels.members',
      bound: `channels.members ${has.channel}`,
      path: `/v2/channels/${has.channel}/members`,
    }),
    list({ operation: 'apps.list', bound: 'apps.list ', path: '/v2/apps' }),
    list({ operation: 'apps.listTokens', bound: `apps.listTokens ${has.app}`, path: `/v2/apps/${has.app}/tokens` }),
    list({ operation: 'tokens.listMine', bound: 'tokens.listMine', path: '/v2/me/tokens' }),
    list({ operation: 'sessions.list', bound: 'sessions.list', path: '/v2/me/sessions' }),
    list({ operation: 'webhooks.list', bound: 'webhooks.list', path: '/v2/webhooks' }),
    list({
      operation: 'webhooks.deliveries',
      bound: `webhooks.deliveries ${has.webhook} `,
      path: `/v2/webhooks/${has.webhook}/deliveries`,
    }),
    events(has),
  ]
}

const PAGE = 50
const BEYOND = Date.parse('2100-01-01')

function list({ operation, sort = 'created_at', bound, path, filters = '', which }: Asked): List {
  const address = (query: string) => `${path}?${filters && `${filters}&`}${query}`
  return {
    operation,
    sort,
    which,
    name: [`${operation} by ${sort}`, ...(which ? [which] : [])].join(', '),
    async pages(server, token, count) {
      const cursorOf = async (query: string): Promise<Cursor | undefined> => {
        const { next_cursor } = JSON.parse(await getBody(server, token, address(`sort=${sort}&${query}`)))
        return next_cursor === null ? undefined : decodeCursor(bound, next_cursor)
      }
      // Anywhere in the list where a whole page follows; a list of one page is read whole, from beyond its end.
      const last = await cursorOf(`direction=asc&limit=${PAGE}`)
      const first = last && (await cursorOf('direction=desc&limit=1'))
      const [from, to] = first ? [Number(last.at) + 1, Number(first.at)] : [BEYOND, BEYOND]
      return Array.from({ length: count }, (_, number) => {
        const at = sort === 'name' ? '~' : Math.round(from + Math.random() * (to - from))
        const place = { sort, at, id: `~${number}`, direction: 'desc', way: 'next', inclusive: false } satisfies Cursor
        return address(`after=${encodeCursor(bound, place)}`)
      })
    },
  }
}

/** The end of the log: in every workspace it is the comments that were written last. */
const events = ({ events: ids }: Fixtures): List => ({
  operation: 'events.list',
  sort: '',
  name: 'events.list',
  pages: async (_server, _token, count) =>
    Array.from({ length: count }, (_, number) => `/v2/events?after=${ids[number % PAGE]}&limit=${PAGE}`),
})

/** Fails where the contract has a list, or an order of one, that is not measured. */
export function checkComplete(lists: readonly List[]) {
  for (const [name, { method, query }] of Object.entries(operations)) {
    if (method !== 'GET' || !query?.properties.after) continue
    const sorts = (query.properties.sort as { enum?: string[] } | undefined)?.enum ?? ['']
    for (const sort of sorts)
      if (!lists.some((each) => each.operation === name && each.sort === sort))
        throw new Error(`The list ${name} by ${sort} is not measured.`)
  }
}
