import { type Cores, onCore } from './cores'
import type { Load, Outcome } from './load'

/** The load generator, in a process of its own. */
export async function startGenerator(where: Cores = 1) {
  let heard: (message: never) => void = () => {}
  const next = () =>
    new Promise<unknown>((resolve) => {
      heard = resolve
    })
  const ready = next()
  const child = Bun.spawn(onCore(where, [process.execPath, `${import.meta.dir}/load.ts`]), {
    stdio: ['ignore', 'inherit', 'inherit'],
    ipc: (message) => heard(message as never),
  })
  await ready
  return {
    async run(load: Load): Promise<Outcome> {
      const answer = next()
      child.send(load)
      const outcome = (await answer) as Outcome | { error: string }
      if ('error' in outcome) throw new Error(outcome.error)
      if (Object.keys(outcome.failures).length > 0)
        throw new Error(`Not every answer was a success: ${JSON.stringify(outcome.failures)}`)
      return outcome
    },
    async stop() {
      child.kill()
      await child.exited
    },
  }
}

export type Generator = Awaited<ReturnType<typeof startGenerator>>
