import { type OperationName, operations } from '../../src/contract'
import type { Fixtures } from './fixtures'

/** A list of the API in one of its orders, with the filters that have an index of their own. */
export interface List {
  operation: OperationName
  sort: string
  name: string
  path: string
  query: string
  /** Apps may not read it. */
  isForMembers?: boolean
  /** Where the list has no `next_cursor` to collect. */
  cursors?: string[]
}

/** Every list in every order. */
export function listAll(fixtures: Fixtures): List[] {
  const { channel, post, comment, thread, app, webhook } = fixtures
  const posts = (filter?: string, query?: string) =>
    ['published_at', 'last_activity_at'].map((sort) => list('posts.list', '/v2/posts', sort, filter, query))
  const comments = (filter?: string, query?: string) =>
    list('comments.list', `/v2/posts/${post}/comments`, 'created_at', filter, query)
  const members = (sort: string, filter?: string, query?: string) =>
    list('members.list', '/v2/members', sort, filter, query)
  return [
    ...posts(),
    ...posts('one channel', `channel_id=${channel}`),
    ...posts('resolved', 'resolved=true'),
    ...posts('open', 'resolved=false'),
    comments(),
    comments('top level', 'parent_id=root'),
    comments('replies', `parent_id=${comment}`),
    list('threads.list', '/v2/threads', 'last_activity_at'),
    list('messages.list', `/v2/threads/${thread}/messages`),
    members('created_at'),
    members('last_seen_at'),
    members('created_at', 'one role', 'roles=viewer'),
    members('created_at', 'search', 'q=ma'),
    list('channels.list', '/v2/channels', 'created_at'),
    list('channels.list', '/v2/channels', 'name'),
    list('channels.list', '/v2/channels', 'last_activity_at'),
    list('channels.members', `/v2/channels/${channel}/members`),
    list('files.list', '/v2/files', 'created_at', 'one channel', `channel_id=${channel}`),
    list('pins.list', `/v2/channels/${channel}/pins`, 'pinned_at'),
    { ...list('saved.list', '/v2/saved', 'saved_at'), isForMembers: true },
    list('apps.list', '/v2/apps'),
    list('apps.listTokens', `/v2/apps/${app}/tokens`),
    list('tokens.listMine', '/v2/me/tokens'),
    list('sessions.list', '/v2/me/sessions'),
    { ...list('signInLinks.list', '/v2/sign-in-links'), isForMembers: true },
    list('webhooks.list', '/v2/webhooks'),
    list('hooks.list', '/v2/hooks'),
    { ...list('drafts.list', '/v2/drafts', 'updated_at'), isForMembers: true },
    list('reactions.listOfSubject', `/v2/reactions/${post}`),
    list('webhooks.deliveries', `/v2/webhooks/${webhook}/deliveries`),
    {
      operation: 'events.list',
      sort: '',
      name: 'events.list',
      path: '/v2/events',
      query: '',
      cursors: fixtures.events.slice(0, 50),
    },
  ]
}

function list(operation: OperationName, path: string, sort = 'created_at', filter = '', query = ''): List {
  const name = [operation, `by ${sort}`].join(' ') + (filter && `, ${filter}`)
  return { operation, sort, name, path, query: `${query && `${query}&`}sort=${sort}` }
}

/** Searches and inboxes have parts of their own. */
const OF_OTHER_PARTS = ['search.list', 'inbox.list']

/** Fails where the contract has a list, or a sort order, that is not measured. */
export function checkComplete(lists: readonly List[]) {
  for (const [name, { method, query }] of Object.entries(operations)) {
    if (method !== 'GET' || !query?.properties.after || OF_OTHER_PARTS.includes(name)) continue
    const sorts = (query.properties.sort as { enum?: string[] } | undefined)?.enum ?? ['']
    for (const sort of sorts)
      if (!lists.some((each) => each.operation === name && each.sort === sort))
        throw new Error(`The list ${name} by ${sort} is not measured: add it to bench/lib/lists.ts.`)
  }
}
