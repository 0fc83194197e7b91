import type { ShownMessage } from '../../data/messages'

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
    Number(Boolean(a.sending)) - Number(Boolean(b.sending)) ||
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
