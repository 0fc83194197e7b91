import { isIPv6 } from 'node:net'
import { readConfig } from '../config'
import { StartError } from '../domain/start-error'
import { rebuildSearchIndex } from '../operations/database'
import { migrate as migrateDatabase } from '../store/schema/migrations'
import { version } from '../version'
import type { Command } from './command'
import { withMigratedParley, withParley } from './database'
import { grouped, openProgress } from './output'

export const migrate: Command = {
  name: 'migrate',
  summary: 'Migrate the database to this version. The server also does this when it starts.',
  options: {},
  async run() {
    const done = await withParley((parley) => migrateDatabase(parley.engine, parley.clock(), openProgress))
    console.log(done.length > 0 ? `Migrated: ${done.join(', ')}.` : 'The database is up to date.')
  },
}

export const reindex: Command = {
  name: 'reindex',
  summary: 'Build the search index anew.',
  details: `Works while the server runs: what is written meanwhile is found at once, and searches say that they are
incomplete until all is indexed, from the newest record on. Run it if \`parley doctor\` reports that the index is wrong.`,
  options: {},
  async run() {
    const started = performance.now()
    const count = await withMigratedParley((parley) => rebuildSearchIndex(parley, openProgress))
    const seconds = (performance.now() - started) / 1_000
    console.log(`Indexed ${grouped(count)} records (${seconds.toFixed(1)} s).`)
  },
}

export const openapi: Command = {
  name: 'openapi',
  summary: 'Print the OpenAPI document.',
  options: {},
  async run() {
    const { openApi } = await import('../http/openapi')
    console.log(JSON.stringify(openApi(version), null, 2))
  },
}

const TIMEOUT_MS = 5_000
/** The loopback address to connect to if the server listens on all addresses. */
const LOOPBACK: Record<string, string> = { '0.0.0.0': '127.0.0.1', '::': '::1' }

export const health: Command = {
  name: 'health',
  summary: 'Check that the server on this machine is ready, for health checks of containers.',
  options: {},
  async run() {
    const { host, port } = readConfig(process.env)
    const address = LOOPBACK[host] ?? host
    const url = `http://${isIPv6(address) ? `[${address}]` : address}:${port}/readyz`
    const answer = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) }).catch((error: Error) => error)
    if (answer instanceof Error) throw new StartError(`No response from ${url}: ${answer.message}`)
    if (!answer.ok) throw new StartError(`${url} responded with ${answer.status}: ${await answer.text()}`)
    console.log('ready')
  },
}
