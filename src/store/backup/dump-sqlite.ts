import { Database } from 'bun:sqlite'
import { statSync } from 'node:fs'
import { MEGABYTE } from '../../domain/files'
import type { Engine, OpenProgress } from '../engines/engine'
import { sqliteProblem, sqliteStartProblem } from '../engines/sqlite/errors'

const POLL_MS = 100

/** Runs beside, since it blocks until all is written. As text, so that it also runs inside the one executable. */
const VACUUM = `
  const { Database } = require('bun:sqlite')
  self.onmessage = ({ data: { from, to } }) => {
    try {
      const database = new Database(from, { readonly: true })
      database.run('PRAGMA busy_timeout = 5000')
      database.run('VACUUM INTO ?', [to])
      database.close()
      postMessage({})
    } catch (error) {
      postMessage({ error: { code: error.code, message: error.message } })
    }
  }`

/** SQLite copies itself: one snapshot, beside the writer, without the free pages. */
export async function dumpSqlite({ location }: Engine, path: string, openProgress: OpenProgress): Promise<void> {
  const progress = openProgress('MB', sizeOf(location) / MEGABYTE)
  const timer = setInterval(() => progress.report(statSync(path).size / MEGABYTE), POLL_MS)
  try {
    await vacuumInto(location, path)
    purgeSearchIndex(path)
  } finally {
    clearInterval(timer)
    progress.end()
  }
}

/** Takes the words of removed texts out of the copy. The database itself is purged by the server, from time to time. */
function purgeSearchIndex(path: string) {
  const database = new Database(path, { readwrite: true, create: false })
  try {
    const hasIndex = database.query("SELECT 1 FROM sqlite_master WHERE name = 'search_state'").get() !== null
    if (!hasIndex || !database.query('SELECT 1 FROM search_state WHERE is_purge_due = 1').get()) return
    database.run('PRAGMA secure_delete = ON')
    database.run("INSERT INTO search_index (search_index) VALUES ('optimize')")
    database.run('UPDATE search_state SET is_purge_due = 0')
  } finally {
    database.close()
  }
}

/** How large the copy will be. */
function sizeOf(file: string): number {
  const database = new Database(file, { readonly: true })
  const pragma = (name: string) => Object.values(database.query(`PRAGMA ${name}`).get() as object)[0] as number
  const size = (pragma('page_count') - pragma('freelist_count')) * pragma('page_size')
  database.close()
  return size
}

async function vacuumInto(from: string, to: string): Promise<void> {
  const address = URL.createObjectURL(new Blob([VACUUM], { type: 'text/javascript' }))
  const worker = new Worker(address)
  try {
    const { error } = await new Promise<{ error?: { code: string; message: string } }>((resolve, reject) => {
      worker.onmessage = ({ data }) => resolve(data)
      worker.onerror = ({ message }) => reject(new Error(message))
      worker.postMessage({ from, to })
    })
    if (error) throw translateError(Object.assign(new Error(error.message), { code: error.code }), to)
  } finally {
    worker.terminate()
    URL.revokeObjectURL(address)
  }
}

/** Damage is the source's; anything else is that of the file that is written. */
function translateError(error: Error & { code: string }, to: string): unknown {
  return /^SQLITE_(CORRUPT|NOTADB)/.test(error.code) ? sqliteProblem(error) : sqliteStartProblem(error, to)
}
