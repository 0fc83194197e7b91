import type { Input } from '../contract'
import { MAX_UNREAD_COUNT } from '../contract/unread'
import { countEntries } from '../store/attention/inbox-list'
import {
  listPostStates,
  listThreadStates,
  listUnreadChannels,
  listUnreadThreads,
  toPostState,
  toThreadState,
  toUnreadChannel,
  toUnreadThread,
} from '../store/attention/unread'
import { requireMember } from './access'
import type { ReadContext } from './context'

const APPS_HAVE_NONE = 'Only members have unread posts and messages; apps have none.'

export async function get({ db, viewer }: ReadContext) {
  requireMember(viewer, APPS_HAVE_NONE)
  const channels = await listUnreadChannels(db, viewer)
  const threads = (await listUnreadThreads(db, viewer)).map(toUnreadThread)
  return {
    inbox_count: await countEntries(db, viewer, { archived: false, unread: true }, MAX_UNREAD_COUNT),
    channels: channels.filter((row) => row.is_chosen || row.unread_count > 0).map(toUnreadChannel),
    threads: threads.filter(({ unread_count }) => unread_count > 0),
  }
}

export async function posts({ db, viewer, links }: ReadContext, { ids }: Input<'unread.posts'>) {
  requireMember(viewer, APPS_HAVE_NONE)
  const rows = await listPostStates(db, viewer, ids)
  return { data: inOrder(ids, rows).map((row) => toPostState(links, row)) }
}

export async function threads({ db, viewer, links }: ReadContext, { ids }: Input<'unread.threads'>) {
  requireMember(viewer, APPS_HAVE_NONE)
  const rows = await listThreadStates(db, viewer, ids)
  return { data: inOrder(ids, rows).map((row) => toThreadState(links, row)) }
}

/** Rows in the order in which they were asked for, each once. */
function inOrder<Row extends { id: string }>(ids: readonly string[], rows: readonly Row[]): Row[] {
  const byId = new Map(rows.map((row) => [row.id, row]))
  return [...new Set(ids)].flatMap((id) => byId.get(id) ?? [])
}
