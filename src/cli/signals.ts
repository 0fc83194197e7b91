export type Signal = 'SIGTERM' | 'SIGINT'

/** npm passes a signal on that a terminal or systemd has sent to all processes, so it comes twice. What follows so soon is the same one. */
const SAME_SIGNAL_MS = 500

/** Calls a function for every signal to stop. */
export function onSignal(handle: (signal: Signal) => void) {
  let heededAt = Number.NEGATIVE_INFINITY
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.on(signal, () => {
      if (performance.now() - heededAt < SAME_SIGNAL_MS) return
      heededAt = performance.now()
      handle(signal)
    })
}
