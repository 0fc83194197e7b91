import type { ShownMessage } from '../../data/messages'

export interface Day {
  key: string
  at: string
  groups: Group[]
}

/** Messages that someone wrote one after the other. */
export interface Group {
  key: string
  messages: ShownMessage[]
}

const PAUSE_MS = 15 * 60_000

/** The oldest first; what is on its way comes last. */
export function inOrder(newestFirst: readonly ShownMessage[]): ShownMessage[] {
  const isLater = (a: ShownMessage, b: ShownMessage) =>
    Number(Boolean(a.sending)) - Number(Boolean(b.sending)) ||
    (a.created_at < b.created_at ? -1 : a.created_at > b.created_at ? 1 : 0)
  return newestFirst.toReversed().sort(isLater)
}

/** By day, and within a day by author; a long pause begins anew. */
export function grouped(messages: readonly ShownMessage[]): Day[] {
  const days: Day[] = []
  let last: ShownMessage | undefined
  for (const message of messages) {
    const day = new Date(message.created_at).toDateString()
    if (days.at(-1)?.key !== day) {
      days.push({ key: day, at: message.created_at, groups: [] })
      last = undefined
    }
    const { groups } = days.at(-1)!
    if (last && goesOn(last, message)) groups.at(-1)!.messages.push(message)
    else groups.push({ key: message.id, messages: [message] })
    last = message
  }
  return days
}

const goesOn = (last: ShownMessage, next: ShownMessage) =>
  last.author.id === next.author.id && Date.parse(next.created_at) - Date.parse(last.created_at) < PAUSE_MS
