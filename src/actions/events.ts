import type { Input } from '../contract'
import { Problem } from '../contract/errors'
import { PAGE_SIZE } from '../contract/page'
import { eventId, revisionOf } from '../domain/event-id'
import type { Viewer } from '../domain/permissions'
import { toEvent } from '../records/events'
import type { Reader } from '../store/db'
import { findLogEnds, listVisibleEvents } from '../store/events'
import type { ReadContext } from './context'

/** How far one request looks for what the caller may see, before it says to ask again. */
const LONGEST_LOOK = 10_000

export async function list({ db, viewer, links }: ReadContext, input: Input<'events.list'>) {
  const { start, newest } = await startOf(db, viewer, input.after)
  const limit = input.limit ?? PAGE_SIZE
  const upTo = Math.min(newest, start + LONGEST_LOOK)

  const rows = await listVisibleEvents(db, viewer, { after: start, upTo, limit, types: input.types })
  const reached = rows.length === limit ? rows.at(-1)!.revision : upTo
  return {
    data: rows.map((row) => toEvent(links, viewer.workspace.id, row)),
    next_cursor: eventId(viewer.workspace.id, reached),
    has_more: reached < newest,
  }
}

export const noSuchEvent = (part: 'query' | 'body') =>
  new Problem('invalid_input', 'after: It must be the id of an event of this workspace.', [
    { in: part, name: 'after', message: 'It must be the id of an event of this workspace.' },
  ])

/** The revision to go on from. What the log has forgotten cannot be gone on from. */
export async function startOf(db: Reader, viewer: Viewer, after: string | undefined, part: 'query' | 'body' = 'query') {
  const { oldest, newest } = await findLogEnds(db, viewer.workspace.key)
  if (after === undefined) return { start: oldest - 1, newest }
  const start = revisionOf(viewer.workspace.id, after)
  if (start === undefined || start > newest) throw noSuchEvent(part)
  if (start < oldest - 1) {
    const first = eventId(viewer.workspace.id, oldest)
    throw new Problem(
      'event_gone',
      `The log begins at ${first}; what was before is not kept. Read the records anew, then go on from there.`,
    )
  }
  return { start, newest }
}
