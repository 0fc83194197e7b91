import { onCore } from '../../bench/lib/cores'
import type { Flood, Washed } from './flood'

/** Who floods, in a process of its own and, where that can be, on a core of its own. */
export async function startGenerator() {
  let heard: (message: unknown) => void = () => {}
  const next = () =>
    new Promise<unknown>((resolve) => {
      heard = resolve
    })
  const ready = next()
  const child = Bun.spawn(onCore(1, [process.execPath, `${import.meta.dir}/flood.ts`]), {
    stdio: ['ignore', 'inherit', 'inherit'],
    ipc: (message) => heard(message),
  })
  await ready
  return {
    async flood(wishes: Flood): Promise<Washed> {
      const washed = next()
      child.send(wishes)
      return (await washed) as Washed
    },
    async stop() {
      child.kill()
      await child.exited
    },
  }
}

export type Generator = Awaited<ReturnType<typeof startGenerator>>
