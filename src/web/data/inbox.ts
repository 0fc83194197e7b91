import type { InboxEntry } from '../../contract/inbox'
import { notify, notifyProblem } from '../parts/notices'
import { paths } from '../paths'
import { coalesce } from './cache/batches'
import { changeRecords, usePages } from './cache/pages'
import { cache, parley } from './cache/parley'
import { getMyId } from './me'
import { changeUnread, refreshUnread } from './unread'

export const inboxTabs = ['all', 'unread', 'mentions', 'archived'] as const
export type InboxTab = (typeof inboxTabs)[number]

const INBOX = ['inbox']
export const inboxKey = (tab: InboxTab) => [...INBOX, tab]

const filters = {
  all: {},
  unread: { unread: true },
  mentions: { about: ['mention'] },
  archived: { archived: true },
} satisfies Record<InboxTab, Parameters<typeof parley.inbox.list>[0]>

const belongsTo: Record<InboxTab, (entry: InboxEntry) => boolean> = {
  all: ({ archived_at }) => archived_at === null,
  unread: ({ archived_at, is_unread }) => archived_at === null && is_unread,
  mentions: ({ archived_at, about }) => archived_at === null && about === 'mention',
  archived: ({ archived_at }) => archived_at !== null,
}

/** The entries of a tab, the latest activity first. */
export const useInbox = (tab: InboxTab, from?: string) =>
  usePages<InboxEntry>(inboxKey(tab), (after) => parley.inbox.list({ ...filters[tab], ...(after && { after }) }), {
    from,
  })

/** Where an entry leads: to the comment or message, if it is about one. */
export function getEntryPath({ subject, item_id }: InboxEntry): string {
  if (subject.type === 'channel') return paths.channel(subject.id)
  return (subject.type === 'post' ? paths.post : paths.thread)(subject.id, item_id ?? undefined)
}

/** Loads the lists that are shown again; the others when they are shown. */
export const refreshInbox = coalesce(() => cache.invalidateQueries({ queryKey: INBOX }))

/** Changes the entries that match, in every loaded list. Removes entries that no longer belong to a list. */
export function changeEntries(matches: (entry: InboxEntry) => boolean, change: (entry: InboxEntry) => InboxEntry) {
  const counted = new Map<string, number>()
  for (const [[, tab]] of cache.getQueriesData({ queryKey: INBOX }))
    changeRecords<InboxEntry>(inboxKey(tab as InboxTab), (entry) => {
      if (!matches(entry)) return entry
      const changed = change(entry)
      counted.set(entry.id, Number(belongsTo.unread(changed)) - Number(belongsTo.unread(entry)))
      return belongsTo[tab as InboxTab](changed) ? changed : undefined
    })
  const added = [...counted.values()].reduce((sum, count) => sum + count, 0)
  changeUnread((unread) => ({ ...unread, inbox_count: Math.max(0, unread.inbox_count + added) }))
}

async function updateEntry(entry: InboxEntry, changes: { read?: boolean; archived?: boolean }, problem: string) {
  const now = new Date().toISOString()
  changeEntries(
    ({ id }) => id === entry.id,
    (known) => ({
      ...known,
      ...(changes.read !== undefined && { is_unread: !changes.read }),
      ...(changes.archived !== undefined && { archived_at: changes.archived ? now : null }),
    }),
  )
  try {
    await parley.inbox.update({ id: entry.id, ...changes })
  } catch (error) {
    void refreshInbox()
    void refreshUnread()
    notifyProblem(problem, error)
  }
}

export const setEntryRead = (entry: InboxEntry, isRead: boolean) =>
  updateEntry(entry, { read: isRead }, `It could not be marked as ${isRead ? 'read' : 'unread'}.`)

/** Archives an entry, and offers Undo. */
export function archiveEntry(entry: InboxEntry) {
  notify('Archived', { label: 'Undo', run: () => void unarchiveEntry(entry) })
  return updateEntry(entry, { archived: true }, 'It could not be archived.')
}

export async function unarchiveEntry(entry: InboxEntry) {
  await updateEntry(entry, { archived: false }, 'It could not be moved to the inbox.')
  void refreshInbox()
}

/** Reads the entry that one was added to a channel. */
export async function readAdded(channelId: string) {
  try {
    for await (const entry of parley.inbox.list({ about: ['added'], unread: true }))
      if (entry.subject.id === channelId) return await setEntryRead(entry, true)
  } catch {
    // It stays unread.
  }
}

/** Marks every entry as read. */
export async function markInboxRead() {
  changeEntries(
    () => true,
    (entry) => ({ ...entry, is_unread: false, new_count: 0 }),
  )
  changeUnread((unread) => ({ ...unread, inbox_count: 0 }))
  try {
    await parley.inbox.readAll()
  } catch (error) {
    void refreshInbox()
    void refreshUnread()
    notifyProblem('The inbox could not be marked as read.', error)
  }
}

/** Removes entries about what the member may no longer see. */
export const refreshIfMine = ({ data }: { data: { member: { id: string } } }) => {
  if (data.member.id === getMyId()) void refreshInbox()
}
