import { Database } from 'bun:sqlite'
import pg from 'pg'
import { engineUnderTest } from '../server'

/** A separate process that blocks all writes until released. */
export async function lockWrites(url: string): Promise<() => Promise<unknown>> {
  if (engineUnderTest === 'sqlite') {
    const other = new Database(url.slice('sqlite:'.length))
    other.run('BEGIN IMMEDIATE')
    return async () => other.run('ROLLBACK')
  }
  const other = new pg.Client({ connectionString: url })
  await other.connect()
  await other.query('BEGIN')
  await other.query('SELECT key FROM workspaces FOR UPDATE')
  return () => other.end()
}
