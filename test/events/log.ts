import type { Event } from '../../src/contract/events'
import type { Person } from '../world'

/** Everything someone may read of the log after an event. */
export async function allEvents(who: Person, after?: string): Promise<Event[]> {
  const page = await who.events.list({ after })
  return page.has_more ? [...page.data, ...(await allEvents(who, page.next_cursor))] : page.data
}

/** The id of the newest event, visible or not. */
export const endOfLog = async (who: Person, after?: string): Promise<string> => {
  const page = await who.events.list({ after })
  return page.has_more ? endOfLog(who, page.next_cursor) : page.next_cursor
}

/** A record as events show it once it was deleted. */
export const emptied = <T extends { content: string; title?: string }>(record: T): T => ({
  ...record,
  content: '',
  ...(record.title !== undefined && { title: '', resolution: null }),
})
