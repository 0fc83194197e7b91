import { Database } from 'bun:sqlite'
import { closeSync, openSync, rmSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Client } from 'pg'
import type { Postgres } from '../../test/postgres'
import { parley } from './dataset'

/** Settings of PostgreSQL for what is filled once and then read: reading costs the same, and nothing else goes on meanwhile. */
export const QUICK_TO_FILL = [
  'shared_buffers=512MB',
  'fsync=off',
  'full_page_writes=off',
  'max_wal_size=8GB',
  'autovacuum=off',
].flatMap((setting) => ['-c', setting])

const ROWS_AT_ONCE = 5_000

/** The same records in a new database of PostgreSQL. Seeding them through the server takes four times as long. */
export async function copyToPostgres(sqlite: string, postgres: Postgres, name: string): Promise<string> {
  await withClient(postgres.url, (client) => client.query(`CREATE DATABASE ${name}`))
  const url = new URL(name, postgres.url).href
  parley(url, 'migrate')
  const source = new Database(sqlite, { readonly: true })
  try {
    await withClient(url, async (client) => {
      // What is copied refers to what is there.
      await client.query("SET session_replication_role = 'replica'")
      for (const table of await tablesOf(client)) await copyTable(source, client, table, dirname(postgres.data))
      await client.query('VACUUM ANALYZE')
    })
  } finally {
    source.close()
  }
  return url
}

interface Table {
  name: string
  columns: string[]
  hasKey: boolean
}

/** The tables in the order they were made, so that what others refer to comes first. */
async function tablesOf(client: Client): Promise<Table[]> {
  const { rows } = await client.query<{ name: string; columns: string[]; identity: boolean }>(`
    SELECT t.relname AS name, array_agg(a.attname::text ORDER BY a.attnum) AS columns,
      bool_or(a.attidentity <> '') AS identity
    FROM pg_class t JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum > 0 AND a.attgenerated = ''
    WHERE t.relkind = 'r' AND t.relnamespace = 'public'::regnamespace AND t.relname <> 'schema_migrations'
    GROUP BY t.oid, t.relname ORDER BY t.oid`)
  return rows.map(({ name, columns, identity }) => ({ name, columns, hasKey: identity }))
}

async function copyTable(source: Database, client: Client, { name, columns, hasKey }: Table, folder: string) {
  const file = join(folder, `${name}.rows`)
  writeRows(source, `SELECT ${columns.join()} FROM ${name}`, columns, file)
  await client.query(`COPY ${name} (${columns.join()}) FROM '${file}'`)
  rmSync(file)
  if (hasKey)
    await client.query(`SELECT setval(pg_get_serial_sequence('${name}', 'key'), (SELECT max(key) + 1 FROM ${name}))`)
}

/** As COPY reads them: a line each, with tabs between the values. */
function writeRows(source: Database, query: string, columns: readonly string[], file: string) {
  const out = openSync(file, 'w')
  let lines: string[] = []
  const flush = () => {
    writeSync(out, lines.join(''))
    lines = []
  }
  for (const row of source.query<Record<string, unknown>, []>(query).iterate()) {
    lines.push(`${columns.map((column) => written(row[column])).join('\t')}\n`)
    if (lines.length === ROWS_AT_ONCE) flush()
  }
  flush()
  closeSync(out)
}

function written(value: unknown): string {
  if (value === null) return '\\N'
  if (typeof value === 'number') return String(value)
  return String(value).replace(/[\\\n\r\t]/g, (character) => escapes[character]!)
}

const escapes: Record<string, string> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/** Bytes a database takes on disk. */
export const sizeOf = (url: string): Promise<number> =>
  withClient(url, async (client) => {
    const { rows } = await client.query('SELECT pg_database_size(current_database()) AS bytes')
    return Number(rows[0].bytes)
  })

async function withClient<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
