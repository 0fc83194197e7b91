import { createServer } from 'node:net'
import type { Config } from '../config'
import { openLog } from '../log'
import { openCollection, type ToSupervisor, type ToWorker } from './worker-metrics'

const RESTART_MS = 1_000

/** Runs several processes on one port and one database, and restarts a process that dies. */
export async function superviseWorkers(count: number, config: Config): Promise<void> {
  const port = config.port || (await freePort())
  const workers = new Map<Bun.Subprocess, (message: ToWorker) => void>()
  const collection = openCollection()
  const log = openLog({ level: config.logLevel, format: config.logFormat })
  let isStopping = false
  let drainsUntil = 0

  const start = (number: number) => {
    const worker = Bun.spawn(selfCommand(), {
      env: { ...process.env, PORT: String(port), PARLEY_WORKER: String(number) },
      stdio: ['ignore', 'inherit', 'inherit'],
      ipc: (message: ToSupervisor) => metrics.receive(message),
    })
    const send = (message: ToWorker) => {
      try {
        worker.send(message)
      } catch {
        // The worker is exiting.
      }
    }
    const metrics = collection.join(String(number), send)
    workers.set(worker, send)
    void worker.exited.then((code) => {
      workers.delete(worker)
      metrics.leave()
      if (isStopping) return
      // Invalid settings are invalid for all workers: restarting would not help.
      if (code === 1 && workers.size === 0) {
        log.error('The server is stopping', { reason: 'all workers exited with an error' })
        process.exit(1)
      }
      log.warn('A worker exited and will be restarted', { worker: number, code, signal: worker.signalCode })
      log.flush()
      setTimeout(() => isStopping || start(number), RESTART_MS)
    })
    return worker
  }
  /** As in `stopOnSignals` of a single process: another signal ends the draining, and one after that exits at once. */
  const stop = async (signal: Signal) => {
    if (isStopping && performance.now() < drainsUntil) {
      drainsUntil = 0
      for (const send of workers.values()) send({ kind: 'end draining' })
      return
    }
    if (isStopping) {
      for (const worker of workers.keys()) worker.kill('SIGKILL')
      process.exit(1)
    }
    isStopping = true
    if (signal === 'SIGTERM') drainsUntil = performance.now() + config.drainSeconds * 1000
    log.info('The server is stopping', { reason: signal })
    log.flush()
    const ending = [...workers.keys()]
    for (const worker of ending) worker.kill(signal)
    await Promise.all(ending.map((worker) => worker.exited))
    // One that was still starting is ended by the signal itself: it had nothing to finish.
    const haveEnded = ending.every(({ exitCode, signalCode }) => exitCode === 0 || signalCode === signal)
    process.exit(haveEnded ? 0 : 1)
  }
  onSignal(stop)
  for (let number = 1; number <= count; number++) start(number)
}

/** The command that started this program, as an executable or from source. */
const selfCommand = () =>
  Bun.main.startsWith('/$bunfs/') || Bun.main.includes('~BUN')
    ? [process.execPath, 'serve']
    : [process.execPath, Bun.main, 'serve']

const freePort = () =>
  new Promise<number>((resolve) => {
    const server = createServer()
    server.listen(0, () => {
      const { port } = server.address() as { port: number }
      server.close(() => resolve(port))
    })
  })

type Signal = 'SIGTERM' | 'SIGINT'

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
