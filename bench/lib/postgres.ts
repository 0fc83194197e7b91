import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Postgres, startPostgres } from '../../test/postgres'
import type { Database } from './settings'
import { scratch } from './settings'
import { getPostgresCpuSeconds } from './usage'

/** As an operator would set it for this much data; everything else is the default, fsync included. */
const FLAGS = ['shared_buffers=512MB', 'max_wal_size=8GB', 'autovacuum=off'].flatMap((setting) => ['-c', setting])
let running: Promise<Postgres> | undefined

/** One server for the whole run, on data that is kept between runs. */
function getPostgres(): Promise<Postgres> {
  const folder = join(scratch, 'postgres')
  mkdirSync(folder, { recursive: true })
  running ??= startPostgres(FLAGS, undefined, folder)
  return running
}

export const stopPostgres = async () => (await running)?.stop()

/** A database of this name, filled unless it is there already. */
export async function restoreOnPostgres(name: string, fill: (url: string) => Promise<void>): Promise<Database> {
  const postgres = await getPostgres()
  const url = new URL(name, postgres.url).href
  if (!(await listDatabases(postgres.url, name)).includes(name)) {
    const fresh = `${name}_new`
    for (const old of await listDatabases(postgres.url, withoutVersion(name)))
      await queryPostgres(postgres.url, `DROP DATABASE ${old} WITH (FORCE)`)
    await queryPostgres(postgres.url, `CREATE DATABASE ${fresh}`)
    await fill(new URL(fresh, postgres.url).href)
    await queryPostgres(new URL(fresh, postgres.url).href, 'VACUUM ANALYZE')
    await queryPostgres(postgres.url, `ALTER DATABASE ${fresh} RENAME TO ${name}`)
  }
  return {
    engine: 'PostgreSQL',
    url,
    path: join(postgres.data, 'base'),
    cpu: () => getPostgresCpuSeconds(postgres.data),
  }
}

/** A copy of a database nobody is connected to. */
export async function cloneOnPostgres(url: string): Promise<{ url: string; remove(): Promise<void> }> {
  const postgres = await getPostgres()
  const name = `copy_${crypto.randomUUID().replaceAll('-', '')}`
  await queryPostgres(postgres.url, `CREATE DATABASE ${name} TEMPLATE ${new URL(url).pathname.slice(1)}`)
  const remove = async () => void (await queryPostgres(postgres.url, `DROP DATABASE ${name} WITH (FORCE)`))
  return { url: new URL(name, postgres.url).href, remove }
}

export async function getDatabaseBytes(url: string): Promise<number> {
  const [row] = await queryPostgres(url, 'SELECT pg_database_size(current_database()) AS bytes')
  return Number(row!.bytes)
}

const withoutVersion = (name: string) => name.slice(0, name.lastIndexOf('_') + 1)

const listDatabases = async (url: string, prefix: string) =>
  (await queryPostgres(url, 'SELECT datname FROM pg_database'))
    .map((row) => String(row.datname))
    .filter((name) => name.startsWith(prefix))

export async function queryPostgres(url: string, text: string): Promise<Record<string, unknown>[]> {
  const sql = new Bun.SQL(url, { max: 1 })
  try {
    return await sql.unsafe(text)
  } finally {
    await sql.end()
  }
}
