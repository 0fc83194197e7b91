import { type Cores, onCore } from './cores'
import { killOnExit, stopProcess } from './subprocess'

/** Runs a file of this folder in a process of its own, which does one task at a time. */
export async function startChild<Task, Outcome>(file: string, cores: Cores) {
  let receive: (message: never) => void = () => {}
  const nextMessage = () =>
    new Promise<unknown>((resolve) => {
      receive = resolve
    })
  const ready = nextMessage()
  const child = killOnExit(
    Bun.spawn(onCore(cores, [process.execPath, `${import.meta.dir}/${file}`]), {
      stdio: ['ignore', 'inherit', 'inherit'],
      ipc: (message) => receive(message as never),
      onExit: (_, code) => receive({ error: `${file} ended with ${code}.` } as never),
    }),
  )
  await ready
  return {
    async run(task: Task): Promise<Outcome> {
      const answer = nextMessage()
      child.send(task)
      const outcome = (await answer) as Outcome | { error: string }
      if (outcome instanceof Object && 'error' in outcome) throw new Error(outcome.error)
      return outcome
    },
    stop: () => stopProcess(child),
  }
}
