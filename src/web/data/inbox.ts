import type { InboxEntry } from '../../contract/inbox'
import type { Unread } from '../../contract/unread'
import { notify, notifyProblem } from '../parts/notices'
import { paths } from '../paths'
import { keys } from './cache/keys'
import { mapRecords, type Pages } from './cache/lists'
import { optimistic } from './cache/optimistic'
import { usePages } from './cache/pages'
import { parley } from './cache/parley'
import { type Change, change, markStale } from './cache/records'

export const inboxTabs = ['all', 'unread', 'mentions', 'archived'] as const
export type InboxTab = (typeof inboxTabs)[number]

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
  usePages<InboxEntry>(keys.inbox(tab), (after) => parley.inbox.list({ ...filters[tab], ...(after && { after }) }), {
    from,
  })

/** Where an entry leads: to the comment or message, if it is about one. */
export function getEntryPath({ subject, item_id }: InboxEntry): string {
  if (subject.type === 'channel') return paths.channel(subject.id)
  return (subject.type === 'post' ? paths.post : paths.thread)(subject.id, item_id ?? undefined)
}

/** Changes the entries that match, in every loaded list. Those that no longer belong to a list leave it. */
export const changeEntries = (
  matches: (entry: InboxEntry) => boolean,
  edit: (entry: InboxEntry) => InboxEntry,
): Change =>
  change<Pages<InboxEntry>>(keys.inboxes, (pages, [, tab]) => {
    const editOne = (entry: InboxEntry) => {
      if (!matches(entry)) return entry
      const edited = edit(entry)
      return belongsTo[tab as InboxTab](edited) ? edited : undefined
    }
    return mapRecords(pages, editOne) as Pages<InboxEntry>
  })

async function updateEntry({ id }: InboxEntry, changes: { read?: boolean; archived?: boolean }, problem: string) {
  const archived_at = changes.archived ? new Date().toISOString() : null
  const edit = (entry: InboxEntry) => ({
    ...entry,
    ...(changes.read !== undefined && { is_unread: !changes.read }),
    ...(changes.archived !== undefined && { archived_at }),
  })
  try {
    await optimistic([changeEntries((entry) => entry.id === id, edit)], () => parley.inbox.update({ id, ...changes }))
    markStale(keys.unread)
  } catch (error) {
    notifyProblem(problem, error)
  }
}

export const setEntryRead = (entry: InboxEntry, isRead: boolean) =>
  updateEntry(entry, { read: isRead }, `Couldn't mark it as ${isRead ? 'read' : 'unread'}.`)

/** Archives an entry, and offers Undo. */
export function archiveEntry(entry: InboxEntry) {
  notify('Archived', { label: 'Undo', run: () => void unarchiveEntry(entry) })
  return updateEntry(entry, { archived: true }, "Couldn't archive it.")
}

export async function unarchiveEntry(entry: InboxEntry) {
  await updateEntry(entry, { archived: false }, "Couldn't move it to the inbox.")
  markStale(keys.inboxes)
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
  const entries = changeEntries(
    () => true,
    (entry) => ({ ...entry, is_unread: false, new_count: 0 }),
  )
  const none = change<Unread>(keys.unread, (unread) => ({ ...unread, inbox_count: 0 }))
  try {
    await optimistic([entries, none], () => parley.inbox.readAll())
  } catch (error) {
    notifyProblem("Couldn't mark the inbox as read.", error)
  }
}
