import { actionNamed } from '../actions'
import type { Place, WriteContext } from '../actions/context'
import { type OperationName, operations } from '../contract'
import type { EventType } from '../contract/event-types'
import type { Viewer } from '../domain/permissions'
import { newNonce, type Position } from '../domain/position'
import { deletesContent, subjectOfAnswer, subjectOfEvent } from '../domain/subjects'
import type { Writer } from '../store/db'
import { insertEvents } from '../store/events'
import { giveBackRevision, lockWorkspaces, takeRevision } from '../store/workspaces'
import { type Bearer, findCallerAgain } from './bearers'
import type { Parley } from './parley'
import { type Prepared, preparations } from './preparations'
import { type KeptAnswer, Replay, type ReplayGuard } from './replay'
import { requireRights } from './rights'

/** Thrown out of a transaction in which nothing happened, so that it leaves nothing behind, no revision either. */
export class Unchanged {
  constructor(readonly output: unknown) {}
}

export interface Written {
  output: unknown
  /** The answer was given before, to the same request. */
  replayed?: string
}

/** Does an operation in one transaction, once for each `Idempotency-Key`, for a caller who may do it at that moment. */
export async function write(
  parley: Parley,
  name: OperationName,
  bearer: Bearer,
  input: unknown,
  guard?: ReplayGuard,
): Promise<Written> {
  const prepared = await preparations[name]?.(parley, bearer.viewer, input as never)
  const { workspaceKeys = [bearer.viewer.workspace.key] } = (prepared ?? {}) as Prepared
  let hasDeleted = false
  try {
    const output = await parley.engine.write(async (db) => {
      if (workspaceKeys.length > 1) await lockWorkspaces(db, workspaceKeys)
      return changeWorkspace(parley, db, bearer.viewer, async (context) => {
        const { viewer } = await findCallerAgain(db, bearer, context.now)
        requireRights(viewer, operations[name])
        const current = { ...context, viewer, prepared }
        await guard?.replayIfKnown(current)
        const result = await actionNamed(name)(current, input)
        if (context.hasHappened()) await guard?.keep(db, context.now, answerOf(name, result))
        hasDeleted = context.hasDeleted()
        return result
      })
    })
    for (const key of workspaceKeys) parley.changes.notify(key, hasDeleted)
    return { output }
  } catch (error) {
    if (error instanceof Unchanged) return { output: error.output }
    if (error instanceof Replay) return { output: undefined, replayed: error.answer }
    throw error
  }
}

/** What is kept of an answer, for replays. A secret is not. */
const answerOf = (name: OperationName, result: unknown): KeptAnswer => ({
  answer: operations[name].secret ? null : JSON.stringify(result),
  subject_id: subjectOfAnswer(name, result),
})

/** Takes the next revision of a workspace, does the work, appends the events it announced under that number. */
export async function changeWorkspace<T>(
  parley: Pick<Parley, 'clock' | 'links' | 'newId' | 'vault'>,
  db: Writer,
  viewer: Viewer,
  work: (context: WriteContext & { hasHappened(): boolean; hasDeleted(): boolean }) => Promise<T>,
): Promise<T> {
  const now = parley.clock()
  const nonce = newNonce()
  const revision = await takeRevision(db, viewer.workspace.key, nonce)
  const events: Announced[] = []
  let isKept = false
  const output = await work({
    db,
    viewer,
    links: parley.links,
    now,
    newId: (prefix) => parley.newId(prefix, now),
    vault: parley.vault,
    changeElsewhere: (other, change) => changeWorkspace(parley, db, other, change),
    keep: () => {
      isKept = true
    },
    announce: (type, data, place = {}) => void events.push({ type, data, place }),
    hasHappened: () => isKept || events.length > 0,
    hasDeleted: () => events.some(({ type }) => deletesContent(type)),
  })
  if (events.length > 0) await appendEvents(db, viewer, now, { revision, nonce }, events)
  else if (isKept) await giveBackRevision(db, viewer.workspace.key)
  else throw new Unchanged(output)
  return output
}

interface Announced {
  type: EventType
  data: object
  place: Place
}

/** The first event has the revision the transaction took; each further one takes the next. */
async function appendEvents(
  db: Writer,
  viewer: Viewer,
  now: number,
  { revision, nonce }: Position,
  events: readonly Announced[],
) {
  if (events.length > 1) await takeRevision(db, viewer.workspace.key, nonce, events.length - 1)
  await insertEvents(
    db,
    events.map(({ type, data, place }, at) => ({
      workspace_key: viewer.workspace.key,
      revision: revision + at,
      nonce,
      type,
      actor_key: viewer.author.key,
      channel_key: place.channel_key ?? 0,
      thread_key: place.thread_key ?? 0,
      created_at: now,
      data: JSON.stringify(data),
      subject_id: subjectOfEvent(type, data),
      is_redacted: deletesContent(type) ? 1 : 0,
    })),
  )
}
