import { type Cores, onCore } from './cores'
import { end, endWithUs } from './leftovers'

/** A program of the bench in a process of its own, that answers one wish after the other. */
export async function startChild<Wish, Outcome>(file: string, where: Cores) {
  let heard: (message: never) => void = () => {}
  const next = () =>
    new Promise<unknown>((resolve) => {
      heard = resolve
    })
  const ready = next()
  const child = endWithUs(
    Bun.spawn(onCore(where, [process.execPath, `${import.meta.dir}/${file}`]), {
      stdio: ['ignore', 'inherit', 'inherit'],
      ipc: (message) => heard(message as never),
      onExit: (_, code) => heard({ error: `${file} ended with ${code}.` } as never),
    }),
  )
  await ready
  return {
    async run(wish: Wish): Promise<Outcome> {
      const answer = next()
      child.send(wish)
      const outcome = (await answer) as Outcome | { error: string }
      if (outcome instanceof Object && 'error' in outcome) throw new Error(outcome.error)
      return outcome
    },
    stop: () => end(child),
  }
}
