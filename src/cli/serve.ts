import { lookup } from 'node:dns/promises'
import { readConfig } from '../config'
import { isLoopback } from '../config/addresses'
import { webApp } from '../http/web/bundle'
import { startServer } from '../server'
import type { FirstStart } from '../setup/first-start'
import { StartError } from '../store/engines/start-error'
import { build } from '../version'
import { type Command, wholeNumber } from './command'
import { settingsHelp } from './settings-help'
import { checkStart } from './start-checks'
import { openWorkerMetrics, type ToWorker } from './worker-metrics'
import { superviseWorkers } from './workers'

export const serve: Command = {
  name: 'serve',
  summary: 'Start the server.',
  details: settingsHelp(),
  options: {
    workers: {
      type: 'string',
      value: 'N',
      help: 'Number of processes that share the port and the database. Default: 1.',
    },
  },
  async run({ values }) {
    const config = readConfig(process.env)
    const workers = wholeNumber('workers', values.workers ?? '1', 1, 64)
    const isWorker = process.env.PARLEY_WORKER !== undefined
    if (!isWorker) await checkStart(config)
    if (workers > 1) return superviseWorkers(workers, config)

    await refuseUnknownName(config.host)
    // Another program that starts Parley may have an IPC channel too, but would not understand the messages.
    const metrics =
      isWorker && process.send ? openWorkerMetrics((message) => process.connected && process.send!(message)) : undefined
    const server = startOrExplain()
    const stop = stopOnSignals(server, isWorker)
    if (metrics) {
      process.on('message', (message: ToWorker) => void metrics.receive(message, server.parley.metrics))
      // Without its supervisor, nobody would stop or restart this worker.
      process.on('disconnect', () => stop('its supervisor exited'))
    }
    if (isFirstWorker()) {
      console.log(
        `Parley ${build} listens on ${server.url} · ${server.parley.engine.kind} ${server.parley.engine.location}`,
      )
      if (config.databaseUrl.startsWith('postgres') && !config.filesUrl.startsWith('s3:'))
        server.parley.log.warn(
          'Uploaded files are stored in a folder on this machine. If you run several nodes, set FILES_URL to a folder that all of them share, or to S3',
          { files_url: config.filesUrl },
        )
      if (isLoopback(config.host) && !config.publicUrl) console.log(HOW_TO_EXPOSE)
    }
    const made = await server.ready
    if (made) console.log(firstStartMessage(server.url, config.adminEmail, made))
    // Bundled before the first visitor needs it, but after the requests that came during the start.
    setTimeout(() => void webApp(), WEB_APP_DELAY_MS)

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
          throw new StartError(
            `HOST=${config.host} is not an address of this machine. Set HOST to one of its addresses.`,
          )
        if (code === 'EACCES')
          throw new StartError(
            `Port ${config.port} requires privileges that this process does not have. Set PORT to a number above 1023.`,
          )
        throw error
      }
    }
  },
}

/** Bun's own errors for an unknown host name are misleading. */
async function refuseUnknownName(host: string) {
  if (host === 'localhost') return
  await lookup(host).catch(() => {
    throw new StartError(`HOST=${host} cannot be resolved. Set HOST to an IP address of this machine.`)
  })
}

const WEB_APP_DELAY_MS = 500

const HOW_TO_EXPOSE = 'Only this machine can connect. To change that, set HOST=0.0.0.0, or HOST=:: for IPv6 as well.'

/** With several workers, only the first prints messages. */
const isFirstWorker = () => (process.env.PARLEY_WORKER ?? '1') === '1'

/**
 * Finishes running requests, then exits; a second signal exits at once. Workers ignore the second one: terminals and systemd
 * signal all processes, and the supervisor passes its signal on.
 */
function stopOnSignals(server: ReturnType<typeof startServer>, isWorker: boolean) {
  let isStopping = false
  const stop = async (reason: string) => {
    if (isStopping && isWorker) return
    if (isStopping) process.exit(1)
    isStopping = true
    // What a supervisor stops its workers for, it says itself.
    if (!isWorker || (isFirstWorker() && !process.connected))
      server.parley.log.info('The server is stopping', { reason })
    await server.stop()
    process.exit(0)
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
  return stop
}

/** The message of the first start, also printed by `parley seed`. */
export const firstStartMessage = (url: string, email: string, { signInLink, token, tokenExpiresAt }: FirstStart) => `
Parley is set up. Save the following; it will not be shown again.

Sign in as the admin, ${email} (the link works once and expires in a week):
  ${signInLink}

An access token for the admin, valid until ${tokenExpiresAt}:
  ${token}

Try it:
  curl -H "Authorization: Bearer ${token}" ${url}/v2/posts

Guides and the API reference are at ${url}/docs
`
