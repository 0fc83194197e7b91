import type { Parley } from '../gate/parley'
import { noProgress, type OpenProgress } from '../store/engines/engine'
import { continueBuild, restartBuild, STEPS_PER_TIDY } from '../store/search/build'
import { beginPurge, tidyIndex } from '../store/search/upkeep'

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
