import type { Message } from '../../../contract/messages'
import type { ShownMessage } from '../../data/messages'
import { useKeys } from '../../shell/keys'

interface Actions {
  write(): void
  reply(message: Message): void
  edit(message: Message): void
  find(id: string): Message | undefined
}

/** Moves the focus from message to message with `j` and `k`. */
export function useMessageKeys(box: { current: HTMLElement | null }, { write, reply, edit, find }: Actions) {
  const links = () => [...box.current!.querySelectorAll<HTMLElement>('[data-message]')]
  const current = () => document.activeElement?.closest<HTMLElement>('.message[id]')
  const moveFocus = (by: number) => {
    const all = links()
    const at = all.findIndex((link) => link.closest('.message') === current())
    const next = all[at < 0 ? all.length - 1 : Math.min(all.length - 1, Math.max(0, at + by))]
    next?.focus()
  }
  const getFocusedMessage = () => {
    const id = current()?.id
    return id === undefined ? undefined : find(id)
  }
  useKeys('In a thread', {
    j: { label: 'Next message', run: () => moveFocus(1) },
    k: { label: 'Previous message', run: () => moveFocus(-1) },
    r: {
      label: 'Reply',
      run: () => {
        const message = getFocusedMessage()
        if (message) reply(message)
        else write()
      },
    },
    '+': { label: 'Add reaction', run: () => current()?.querySelector<HTMLElement>('[data-do=react]')?.click() },
    e: {
      label: 'Edit message',
      run: () => {
        const message = getFocusedMessage()
        if (message) edit(message)
      },
    },
  })
}

export interface Day {
  key: string
  at: string
  messages: GroupedMessage[]
}

export interface GroupedMessage {
  message: ShownMessage
  /** Whether it follows another message of the same author closely, and is shown without a header. */
  isContinuation: boolean
}

const PAUSE_MS = 15 * 60_000

/** Oldest first. Messages that are being sent come last. */
export function sortOldestFirst(newestFirst: readonly ShownMessage[]): ShownMessage[] {
  const compare = (a: ShownMessage, b: ShownMessage) =>
    Number(Boolean(a.pending)) - Number(Boolean(b.pending)) ||
    (a.created_at < b.created_at ? -1 : a.created_at > b.created_at ? 1 : 0)
  return newestFirst.toReversed().sort(compare)
}

/** Groups by day, and within a day by author. A long pause starts a new group. */
export function groupByDay(messages: readonly ShownMessage[]): Day[] {
  const days: Day[] = []
  for (const message of messages) {
    const key = new Date(message.created_at).toDateString()
    if (days.at(-1)?.key !== key) days.push({ key, at: message.created_at, messages: [] })
    const day = days.at(-1)!.messages
    const last = day.at(-1)?.message
    day.push({ message, isContinuation: last !== undefined && isContinuation(last, message) })
  }
  return days
}

const isContinuation = (last: ShownMessage, next: ShownMessage) =>
  last.author.id === next.author.id && Date.parse(next.created_at) - Date.parse(last.created_at) < PAUSE_MS
