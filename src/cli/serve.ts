import { lookup } from 'node:dns/promises'
import { isLoopback, readConfig } from '../config'
import { webApp } from '../http/web/bundle'
import { startServer } from '../server'
import type { FirstStart } from '../setup/first-start'
import { StartError } from '../store/engines/start-error'
import { version } from '../version'
import { type Command, wholeNumber } from './command'
import { settingsHelp } from './settings-help'
import { openWorkerMetrics, type ToWorker } from './worker-metrics'
import { superviseWorkers } from './workers'

export const serve: Command = {
  name: 'serve',
  summary: 'Start the server.',
  details: settingsHelp(),
  options: {
    workers: { type: 'string', value: 'N', help: 'How many processes share the port and the database. Default: 1.' },
  },
  async run({ values }) {
    const config = readConfig(process.env)
    const workers = wholeNumber('workers', values.workers ?? '1', 1, 64)
    if (workers > 1) return superviseWorkers(workers, config)

    await refuseUnknownName(config.host)
    const isWorker = process.env.PARLEY_WORKER !== undefined
    // Whatever else starts Parley may have a channel to it as well, and would not know what to answer.
    const metrics =
      isWorker && process.send ? openWorkerMetrics((message) => process.connected && process.send!(message)) : undefined
    const server = startOrExplain()
    const stop = stopOnSignals(server, isWorker)
    if (metrics) {
      process.on('message', (message: ToWorker) => void metrics.hear(message, server.parley.metrics))
      // Nobody is left to stop it, or to start it again.
      process.on('disconnect', stop)
    }
    if (isFirstWorker()) {
      console.log(
        `Parley ${version} listens on ${server.url} · ${server.parley.engine.kind} ${server.parley.engine.location}`,
      )
      if (isLoopback(config.host) && !config.publicUrl) console.log(HOW_TO_EXPOSE)
    }
    const made = await server.ready
    if (made) console.log(firstWords(server.url, config.adminEmail, made))
    // Whoever opens the first page does not wait for it.
    void webApp()

    function startOrExplain() {
      try {
        return startServer(config, {
          isWorker,
          collectMetrics: metrics?.collect,
        })
      } catch (error) {
        const { code } = error as { code?: string }
        if (code === 'EADDRINUSE') throw new StartError(`Port ${config.port} is in use. Set PORT to another one.`)
        if (code === 'EADDRNOTAVAIL')
          throw new StartError(`HOST=${config.host} is not an address of this machine. Set HOST to one that it has.`)
        if (code === 'EACCES')
          throw new StartError(
            `Port ${config.port} needs rights this process does not have. Set PORT to one above 1023.`,
          )
        throw error
      }
    }
  },
}

/** Bun names any reason at all for a name that it cannot look up. */
async function refuseUnknownName(host: string) {
  if (host === 'localhost') return
  await lookup(host).catch(() => {
    throw new StartError(`HOST=${host} is a name without an address. Set HOST to an IP address of this machine.`)
  })
}

const HOW_TO_EXPOSE = 'Only this machine can reach it. To change that, set HOST=0.0.0.0, or HOST=:: for IPv6 as well.'

/** Of several processes, one speaks for all. */
const isFirstWorker = () => (process.env.PARLEY_WORKER ?? '1') === '1'

/**
 * Finishes what runs, then leaves; a second signal leaves at once. Not so for a worker: a terminal and systemd send a signal
 * to all processes, and the supervisor passes it on.
 */
function stopOnSignals(server: ReturnType<typeof startServer>, isWorker: boolean) {
  let isStopping = false
  const stop = async () => {
    if (isStopping && isWorker) return
    if (isStopping) process.exit(1)
    isStopping = true
    await server.stop()
    process.exit(0)
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
  return stop
}

/** What the first start says, here and when a seed made it. */
export const firstWords = (url: string, email: string, { signInLink, token, tokenExpiresAt }: FirstStart) => `
This is the first start. Keep what follows: it is not shown again.

Sign in as the admin, ${email} (the link works once, within a week):
  ${signInLink}

An access token of that admin, which expires in a week, at ${tokenExpiresAt}:
  ${token}

Try it:
  curl -H "Authorization: Bearer ${token}" ${url}/v2/posts

The API reference is at ${url}/docs
`
