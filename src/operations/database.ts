import { NotYetError } from '../domain/start-error'
import type { Parley } from '../gate/parley'
import { getPushKeys } from '../gate/push-keys'
import { warnOfEngine } from '../store/checks/database'
import { noProgress, type OpenProgress } from '../store/engines/engine'
import { migrate } from '../store/schema/migrations'
import { beginPurge, continueBuild, restartBuild, STEPS_PER_TIDY, tidyIndex } from '../store/search/build'
import { type FirstStart, firstStart } from './first-start'
import { prepareKey } from './secret-key'

const RETRY_MS = 1_000
const PROGRESS_MS = 5_000

type Settings = Parameters<typeof prepareKey>[1] & Parameters<typeof firstStart>[1]

/** Migrates, and creates the first workspace; waits for a database that is not available yet. */
export async function prepareDatabase(parley: Parley, settings: Settings): Promise<FirstStart | undefined> {
  let isChecked = false
  for (let hasLogged = false; ; hasLogged = true) {
    try {
      // Before the migrations: on a server that is too old, they may fail.
      const warning = isChecked ? undefined : await warnOfEngine(parley.engine)
      if (warning) parley.log.warn(warning)
      isChecked = true
      const done = await migrate(parley.engine, parley.clock(), logProgress(parley.log))
      if (done.length > 0) parley.log.info('Migrated the database', { migrations: done.join(', ') })
      const notes = await prepareKey(parley.engine, settings, () => void parley.vault?.fingerprint)
      for (const note of notes) parley.log.warn(note)
      await getPushKeys(parley)
      return await firstStart(parley, settings)
    } catch (error) {
      if (!(error instanceof NotYetError)) throw error
      if (!hasLogged) parley.log.warn(`${error.message} Waiting for it; the server listens once it is there.`)
      await Bun.sleep(RETRY_MS)
    }
  }
}

/** Logs the progress of a migration from time to time. */
const logProgress =
  (log: Parley['log']): OpenProgress =>
  (what, total) => {
    let loggedAt = performance.now()
    return {
      report(done) {
        if (performance.now() - loggedAt < PROGRESS_MS) return
        loggedAt = performance.now()
        log.info(`Migrating the database: ${done} of ${total} ${what}`)
        log.flush()
      },
      end() {},
    }
  }

/** Indexes all records anew, while a server may run. Returns how many there were. */
export async function rebuildSearchIndex(
  { engine }: Pick<Parley, 'engine'>,
  openProgress: OpenProgress = noProgress,
): Promise<number> {
  const total = await engine.writeAlone(restartBuild)
  const progress = openProgress('records indexed', total)
  const tidy = () => inSteps(() => engine.writeAlone(tidyIndex))
  let steps = 0
  await inSteps(async () => {
    const state = await engine.writeAlone(continueBuild)
    progress.report(total - state.remaining)
    if (++steps % STEPS_PER_TIDY === 0) await tidy()
    return !state.isBuilt
  })
  await engine.writeAlone(beginPurge)
  await tidy()
  progress.end()
  return total
}

/** Repeats a step while it says that there is more to do. */
async function inSteps(step: () => Promise<boolean>) {
  for (let hasMore = true; hasMore; ) {
    const started = performance.now()
    hasMore = await step()
    // A server on the same database gets its turn to write. On SQLite it looks every now and then whether it can.
    await Bun.sleep((performance.now() - started) / 2)
  }
}
