import type { Input } from '../contract'
import { Problem } from '../contract/errors'
import { PAGE_SIZE } from '../contract/page'
import { eventId, positionOf } from '../domain/event-id'
import type { Viewer } from '../domain/permissions'
import type { Position } from '../domain/position'
import { toEvent } from '../records/events'
import type { Reader } from '../store/db'
import { listVisibleEvents } from '../store/events'
import { findLogEnds, findNonce, isInLog } from '../store/positions'
import type { ReadContext } from './context'

/** How far one request looks for what the caller may see, before it says to ask again. */
const LONGEST_LOOK = 10_000

export async function list({ db, viewer, links }: ReadContext, input: Input<'events.list'>) {
  const { start, newest } = await startOf(db, viewer, input.after)
  const limit = input.limit ?? PAGE_SIZE
  const upTo = Math.min(newest.revision, start + LONGEST_LOOK)

  // Each once: every number of them is a statement of its own, which the database keeps.
  const types = input.types && [...new Set(input.types)]
  const rows = await listVisibleEvents(db, viewer, { after: start, upTo, limit, types })
  const reached = rows.length === limit ? rows.at(-1)! : await positionAt(db, viewer, upTo, newest)
  return {
    data: rows.map((row) => toEvent(links, viewer.workspace.id, row)),
    next_cursor: eventId(viewer.workspace.id, reached),
    has_more: reached.revision < newest.revision,
  }
}

async function positionAt(db: Reader, viewer: Viewer, revision: number, newest: Position): Promise<Position> {
  if (revision === newest.revision) return newest
  return { revision, nonce: (await findNonce(db, viewer.workspace.key, revision)) ?? 0 }
}

const noSuchEvent = (part: 'query' | 'body') =>
  new Problem('invalid_input', 'after: It must be the id of an event of this workspace.', [
    { in: part, name: 'after', message: 'It must be the id of an event of this workspace.' },
  ])

/** The revision to continue after. What is no longer in the log, or was never in this one, cannot be continued from. */
export async function startOf(db: Reader, viewer: Viewer, after: string | undefined, part: 'query' | 'body' = 'query') {
  const { workspace } = viewer
  const { oldest, newest } = await findLogEnds(db, workspace.key)
  if (after === undefined) return { start: oldest - 1, newest }
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
