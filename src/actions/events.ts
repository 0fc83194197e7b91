import type { Input } from '../contract'
import { PAGE_SIZE } from '../contract/browser/constants'
import { Problem } from '../contract/errors'
import { eventId, type Position, positionOf } from '../domain/events/positions'
import type { Viewer } from '../domain/permissions'
import type { Reader } from '../store/engines/db'
import { findLogEnds, findNonce, isInLog, listVisibleEvents, toEvent } from '../store/log/events'
import type { ReadContext } from './context'

/** Instead of the id of an event: the end of the log. */
const NOW = 'now'
/** How many events one request searches for visible ones; the page then ends there, with `has_more`. */
const MAX_SEARCHED = 10_000

export async function list({ db, viewer, links }: ReadContext, input: Input<'events.list'>) {
  const { rows, upTo, newest, isFull } = await findPage(db, viewer, input, input.limit ?? PAGE_SIZE)
  const reached = isFull ? rows.at(-1)! : await findPositionAt(db, viewer, upTo, newest)
  return {
    data: rows.map((row) => toEvent(links, viewer.workspace.id, row)),
    next_cursor: eventId(viewer.workspace.id, reached),
    has_more: reached.revision < newest.revision,
  }
}

/** Whether a page would hold events, or end before the end of the log. */
export async function hasEvents(db: Reader, viewer: Viewer, input: Input<'events.list'>): Promise<boolean> {
  // It is the end of the log that was asked for, not what comes after.
  if (input.after === NOW) return true
  const { rows, upTo, newest } = await findPage(db, viewer, input, 1)
  return rows.length > 0 || upTo < newest.revision
}

async function findPage(db: Reader, viewer: Viewer, input: Input<'events.list'>, limit: number) {
  const { start, newest } = await findStart(db, viewer, input.after)
  const upTo = Math.min(newest.revision, start + MAX_SEARCHED)
  // Without duplicates: each number of types is another statement to the database.
  const types = input.types && [...new Set(input.types)]
  const rows = await listVisibleEvents(db, viewer, { after: start, upTo, limit, types })
  return { rows, upTo, newest, isFull: rows.length === limit }
}

async function findPositionAt(db: Reader, viewer: Viewer, revision: number, newest: Position): Promise<Position> {
  if (revision === newest.revision) return newest
  return { revision, nonce: (await findNonce(db, viewer.workspace.key, revision)) ?? 0 }
}

const noSuchEvent = (part: 'query' | 'body') =>
  new Problem('invalid_input', 'after: Must be the id of an event of this workspace.', [
    { in: part, name: 'after', message: 'Must be the id of an event of this workspace.' },
  ])

/** The revision to continue after. What is no longer in the log, or was never in this one, cannot be continued from. */
export async function findStart(
  db: Reader,
  viewer: Viewer,
  after: string | undefined,
  part: 'query' | 'body' = 'query',
) {
  const { workspace } = viewer
  const { oldest, newest } = await findLogEnds(db, workspace.key)
  if (after === undefined) return { start: oldest - 1, newest }
  if (after === NOW && part === 'query') return { start: newest.revision, newest }
  const start = positionOf(workspace.id, after)
  if (start === undefined) throw noSuchEvent(part)
  const wayOut = part === 'query' ? eventId(workspace.id, newest) : undefined
  if (start.revision < oldest - 1) throw cannotContinue('event_gone', wayOut)
  if (!(await isInLog(db, workspace.key, start))) throw cannotContinue('history_changed', wayOut)
  return { start: start.revision, newest }
}

const reasons = {
  event_gone: 'The log does not reach back to this event.',
  history_changed: 'This event is not in the log: the workspace was restored from a backup.',
}

const cannotContinue = (code: keyof typeof reasons, resumeAfter: string | undefined) =>
  new Problem(
    code,
    resumeAfter
      ? `${reasons[code]} Continue after ${resumeAfter}, and read the records again.`
      : `${reasons[code]} Choose one from \`GET /v2/events\`.`,
    undefined,
    undefined,
    resumeAfter,
  )
