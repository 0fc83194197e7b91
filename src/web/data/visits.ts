import { useSyncExternalStore } from 'react'
import { createStoredValue } from './storage'

/** When this browser last showed each post and thread. Later activity is unread. */
interface Visits {
  /** Activity before this counts as read. */
  since: string
  seen: Record<string, string>
}

const visits = createStoredValue<Visits>('visits', { since: new Date().toISOString(), seen: {} })
const MAX_SEEN = 2_000
if (Object.keys(visits.get().seen).length === 0) visits.set(visits.get())

export const getLastVisit = (id: string) => visits.get().seen[id]

/** Whether something has activity after its last visit. */
export function useUnread() {
  const { since, seen } = useSyncExternalStore(visits.subscribe, visits.get)
  return ({ id, last_activity_at }: { id: string; last_activity_at: string }) => last_activity_at > (seen[id] ?? since)
}

export function markSeen(id: string, upTo: string) {
  const { since, seen } = visits.get()
  if ((seen[id] ?? since) >= upTo) return
  const { [id]: _, ...others } = seen
  const kept = Object.entries(others).slice(-(MAX_SEEN - 1))
  visits.set({ since, seen: Object.fromEntries([...kept, [id, upTo]]) })
}
