import { actionNamed } from '../actions'
import type { Place, WriteContext } from '../actions/context'
import { type OperationName, operations } from '../contract'
import type { EventType } from '../contract/event-types'
import type { Viewer } from '../domain/permissions'
import type { Writer } from '../store/db'
import { insertEvents } from '../store/events'
import { takeRevision } from '../store/workspaces'
import type { Parley } from './parley'
import { preparations } from './preparations'
import { Replay, type ReplayGuard } from './replay'

/** Thrown out of a transaction in which nothing happened, so that it leaves nothing behind, no revision either. */
export class Unchanged {
  constructor(readonly output: unknown) {}
}

export interface Written {
  output: unknown
  /** The answer was given before, to the same request. */
  replayed?: string
}

/** Does an operation in one transaction, once for each `Idempotency-Key`. */
export async function write(
  parley: Parley,
  name: OperationName,
  viewer: Viewer,
  input: unknown,
  guard?: ReplayGuard,
): Promise<Written> {
  const prepared = await preparations[name]?.(parley, viewer, input as never)
  const isSecret = operations[name].secret ?? false
  try {
    const output = await parley.engine.write((db) =>
      changeWorkspace(parley, db, viewer, async (context) => {
        await guard?.replayIfKnown(db, context.now)
        const result = await actionNamed(name)({ ...context, prepared }, input)
        if (context.hasHappened()) await guard?.keep(db, context.now, isSecret ? null : JSON.stringify(result))
        return result
      }),
    )
    parley.pulse.beat(viewer.workspace.key)
    return { output }
  } catch (error) {
    if (error instanceof Unchanged) return { output: error.output }
    if (error instanceof Replay) return { output: undefined, replayed: error.answer }
    throw error
  }
}

/** Takes the next revision of a workspace, does the work, appends the events it announced under that number. */
export async function changeWorkspace<T>(
  parley: Pick<Parley, 'clock' | 'links' | 'newId' | 'vault'>,
  db: Writer,
  viewer: Viewer,
  work: (context: WriteContext & { hasHappened(): boolean }) => Promise<T>,
): Promise<T> {
  const now = parley.clock()
  const revision = await takeRevision(db, viewer.workspace.key)
  const events: Announced[] = []
  let isKept = false
  const output = await work({
    db,
    viewer,
    links: parley.links,
    now,
    newId: (prefix) => parley.newId(prefix, now),
    vault: parley.vault,
    keep: () => {
      isKept = true
    },
    announce: (type, data, place = {}) => void events.push({ type, data, place }),
    hasHappened: () => isKept || events.length > 0,
  })
  if (events.length > 0) await appendEvents(db, viewer, now, revision, events)
  else if (isKept) await takeRevision(db, viewer.workspace.key, -1)
  else throw new Unchanged(output)
  return output
}

interface Announced {
  type: EventType
  data: object
  place: Place
}

/** The first event has the revision the transaction took; each further one takes the next. */
async function appendEvents(db: Writer, viewer: Viewer, now: number, revision: number, events: readonly Announced[]) {
  if (events.length > 1) await takeRevision(db, viewer.workspace.key, events.length - 1)
  await insertEvents(
    db,
    events.map(({ type, data, place }, at) => ({
      workspace_key: viewer.workspace.key,
      revision: revision + at,
      type,
      actor_key: viewer.author.key,
      channel_key: place.channel_key ?? 0,
      thread_key: place.thread_key ?? 0,
      created_at: now,
      data: JSON.stringify(data),
    })),
  )
}
