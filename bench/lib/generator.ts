import { startChild } from './child'
import type { Cores } from './cores'
import type { Load, Outcome } from './load'

/** The load generator, in a process of its own. */
export async function startGenerator(where: Cores = 1) {
  const child = await startChild<Load, Outcome>('load.ts', where)
  return {
    async run(load: Load): Promise<Outcome> {
      const outcome = await child.run(load)
      if (Object.keys(outcome.failures).length > 0)
        throw new Error(`Not every answer was a success: ${JSON.stringify(outcome.failures)}`)
      return outcome
    },
    stop: child.stop,
  }
}

export type Generator = Awaited<ReturnType<typeof startGenerator>>
