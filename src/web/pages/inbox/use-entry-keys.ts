import type { InboxEntry } from '../../../contract/inbox'
import { archiveEntry, setEntryRead, unarchiveEntry } from '../../data/inbox'
import { useKeys } from '../../shell/keys'

/** `e` archives and `u` marks the entry in focus. */
export function useEntryKeys(entries: readonly InboxEntry[]) {
  const act = (run: (entry: InboxEntry) => Promise<void>) => () => {
    const row = document.activeElement?.closest('li')
    const entry = entries.find(({ id }) => id === row?.id)
    if (!row || !entry) return
    const neighbour = row.nextElementSibling ?? row.previousElementSibling
    void run(entry)
    moveFocusIfGone(row, neighbour)
  }
  useKeys('Inbox', {
    e: {
      label: 'Archive, or move back to the inbox',
      run: act((entry) => (entry.archived_at ? unarchiveEntry(entry) : archiveEntry(entry))),
    },
    u: { label: 'Mark as read or unread', run: act((entry) => setEntryRead(entry, entry.read_at === null)) },
  })
}

/** An entry that leaves the list passes the focus on to the next one. */
function moveFocusIfGone(row: Element, neighbour: Element | null) {
  requestAnimationFrame(() => {
    if (!row.isConnected) neighbour?.querySelector<HTMLElement>('a[data-row]')?.focus()
  })
}
