import { type Cores, onCore } from './cores'
import { killOnExit, stopProcess } from './subprocess'

/** A program of the bench in a process of its own, that answers one task after the other. */
export async function startChild<Task, Outcome>(file: string, where: Cores) {
  let heard: (message: never) => void = () => {}
  const next = () =>
    new Promise<unknown>((resolve) => {
      heard = resolve
    })
  const ready = next()
  const child = killOnExit(
    Bun.spawn(onCore(where, [process.execPath, `${import.meta.dir}/${file}`]), {
      stdio: ['ignore', 'inherit', 'inherit'],
      ipc: (message) => heard(message as never),
      onExit: (_, code) => heard({ error: `${file} ended with ${code}.` } as never),
    }),
  )
  await ready
  return {
    async run(task: Task): Promise<Outcome> {
      const answer = next()
      child.send(task)
      const outcome = (await answer) as Outcome | { error: string }
      if (outcome instanceof Object && 'error' in outcome) throw new Error(outcome.error)
      return outcome
    },
    stop: () => stopProcess(child),
  }
}
