import type { Parley } from '../gate/parley'
import { noProgress, type OpenProgress } from '../store/backup/progress'
import { continueBuild, restartBuild } from '../store/search/build'

/** Indexes all records anew, while a server may run. Returns how many there were. */
export async function rebuildSearchIndex(
  { engine }: Pick<Parley, 'engine'>,
  openProgress: OpenProgress = noProgress,
): Promise<number> {
  const total = await engine.writeAlone(restartBuild)
  const progress = openProgress('records indexed', total)
  for (let isBuilt = false; !isBuilt; ) {
    const started = performance.now()
    const state = await engine.writeAlone(continueBuild)
    isBuilt = state.isBuilt
    progress.report(total - state.remaining)
    // A server on the same database gets its turn to write. On SQLite it looks every now and then whether it can.
    await Bun.sleep((performance.now() - started) / 2)
  }
  progress.end()
  return total
}
