import { onCore } from '../../bench/lib/cores'
import type { Flood, FloodResult } from './flood'

/** Starts flood.ts as a separate process, on its own core if possible. */
export async function startGenerator() {
  let onMessage: (message: unknown) => void = () => {}
  const next = () =>
    new Promise<unknown>((resolve) => {
      onMessage = resolve
    })
  const ready = next()
  const child = Bun.spawn(onCore(1, [process.execPath, `${import.meta.dir}/flood.ts`]), {
    stdio: ['ignore', 'inherit', 'inherit'],
    ipc: (message) => onMessage(message),
  })
  await ready
  return {
    async flood(options: Flood): Promise<FloodResult> {
      const result = next()
      child.send(options)
      return (await result) as FloodResult
    },
    async stop() {
      child.kill()
      await child.exited
    },
  }
}

export type Generator = Awaited<ReturnType<typeof startGenerator>>
