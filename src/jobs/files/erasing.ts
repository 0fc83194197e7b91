import { removeOldStaged } from '../../files/staging'
import type { Parley } from '../../gate/parley'
import { eraseDueFiles, listWorkspacesToErase } from '../../store/files/erase'
import { lockWorkspace } from '../../store/workspaces'
import { deleteStrayObjects, findStrayObjects } from './strays'

const HOUR_MS = 60 * 60 * 1000
/** The documents promise an hour; the rest is for rounds that fail. */
export const ERASE_EVERY_MS = 10 * 60 * 1000
const SWEEP_EVERY_MS = 24 * HOUR_MS
const STAGED_MS = 24 * HOUR_MS

export interface FileErasing {
  /** Erases the files that are due, and deletes objects that are no longer used. */
  runRound(): Promise<void>
  /** Looks for objects and staged files that were left behind. */
  sweep(): Promise<void>
  close(): Promise<void>
}

/** Erases the files that are due, every few minutes. Several nodes can do this at the same time. */
export function startFileErasing(parley: Parley, everyMs = ERASE_EVERY_MS): FileErasing {
  let running: Promise<void> = Promise.resolve()
  // The first sweep is one hour after the start, so that it also runs on servers that restart every day.
  let sweptAt = parley.clock() - SWEEP_EVERY_MS + HOUR_MS
  const inTurn = (work: () => Promise<void>) => {
    const done = running.then(work)
    running = done.catch((error) => parley.log.warn('Could not erase files; will retry', { error: String(error) }))
    return done
  }
  const runRound = () => inTurn(() => erase(parley))
  const sweep = () =>
    inTurn(async () => {
      sweptAt = parley.clock()
      await removeOldStaged(parley.files.storage.stagingFolder, STAGED_MS, parley.clock())
      await findStrayObjects(parley)
    })
  const timer = setInterval(() => {
    void runRound().catch(() => {})
    if (parley.clock() - sweptAt >= SWEEP_EVERY_MS) void sweep().catch(() => {})
  }, everyMs)
  timer.unref()
  return {
    runRound,
    sweep,
    async close() {
      clearInterval(timer)
      await running
    },
  }
}

async function erase(parley: Parley) {
  const { engine, clock } = parley
  for (const key of await engine.read((db) => listWorkspacesToErase(db, clock()))) {
    const eraseSome = () =>
      engine.write(async (db) => {
        await lockWorkspace(db, key)
        return eraseDueFiles(db, key, clock())
      })
    while ((await eraseSome()) > 0) await Bun.sleep(0)
  }
  await deleteStrayObjects(parley)
}
