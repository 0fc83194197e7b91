import { lookup } from 'node:dns/promises'
import { type Config, readConfig } from '../config'
import { isLoopback } from '../config/addresses'
import { StartError } from '../domain/start-error'
import { checkAddress } from '../http/listen'
import { webApp } from '../http/web/bundle'
import type { FirstStart } from '../operations/first-start'
import { startServer } from '../server'
import { build } from '../version'
import { type Command, settingsHelp, wholeNumber } from './command'
import { checkStart } from './start-checks'
import { openWorkerMetrics, type ToWorker } from './worker-metrics'
import { onSignal, superviseWorkers } from './workers'

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
    if (!isWorker) {
      await refuseUnknownName(config.host)
      // Before anything is written: the server that uses the port may use the database and the files, too.
      if (config.port !== 0) await checkAddress(config.host, config.port).catch(explainAddress(config))
      await checkStart(config)
    }
    if (workers > 1) return superviseWorkers(workers, config)

    // Another program that starts Parley may have an IPC channel too, but would not understand the messages.
    const metrics =
      isWorker && process.send ? openWorkerMetrics((message) => process.connected && process.send!(message)) : undefined
    const server = startOrExplain()
    const { stop, endDraining } = stopOnSignals(server, isWorker, config.drainSeconds)
    if (metrics) {
      process.on('message', (message: ToWorker) =>
        message.kind === 'end draining' ? endDraining() : void metrics.receive(message, server.parley.metrics),
      )
      // Without its supervisor, nobody would stop or restart this worker.
      process.on('disconnect', () => void stop('its supervisor exited'))
    }
    const made = await server.ready.catch(explainAddress(config))
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
    if (made) console.log(firstStartMessage(server.url, config.adminEmail, made))
    // Bundled before the first visitor needs it, but after the requests that came during the start.
    setTimeout(() => void webApp(), WEB_APP_DELAY_MS)

    function startOrExplain() {
      try {
        return startServer(config, { isWorker, collectMetrics: metrics?.collect })
      } catch (error) {
        return explainAddress(config)(error)
      }
    }
  },
}

/** Says what to do about an address that the server cannot listen on. */
const explainAddress =
  ({ host, port }: Config) =>
  (error: unknown): never => {
    const { code } = error as { code?: string }
    if (code === 'EADDRINUSE') throw new StartError(`Port ${port} is in use. Set PORT to another one.`)
    if (code === 'EADDRNOTAVAIL')
      throw new StartError(`HOST=${host} is not an address of this machine. Set HOST to one of its addresses.`)
    if (code === 'EACCES')
      throw new StartError(
        `Port ${port} requires privileges that this process does not have. Set PORT to a number above 1023.`,
      )
    throw error
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
 * Drains on SIGTERM, which systemd, Docker and others send, but not on Ctrl-C; then finishes running requests, and exits. Another signal
 * ends the draining, and one after that exits at once. Workers ignore these: terminals and systemd signal all processes, and the
 * supervisor passes its signal on, or says that the draining is to end.
 */
function stopOnSignals(server: ReturnType<typeof startServer>, isWorker: boolean, drainSeconds: number) {
  let state: 'serving' | 'draining' | 'stopping' = 'serving'
  const skipped = Promise.withResolvers<void>()
  const stop = async (reason: string) => {
    if (state !== 'serving' && isWorker) return
    if (state === 'draining') return skipped.resolve()
    if (state === 'stopping') process.exit(1)
    // A supervisor logs itself why it stops its workers.
    if (!isWorker || (isFirstWorker() && !process.connected))
      server.parley.log.info('The server is stopping', { reason })
    if (reason === 'SIGTERM' && drainSeconds > 0 && server.drain()) {
      state = 'draining'
      await Promise.race([Bun.sleep(drainSeconds * 1000), skipped.promise])
    }
    state = 'stopping'
    await server.stop()
    process.exit(0)
  }
  onSignal(stop)
  return { stop, endDraining: skipped.resolve }
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
