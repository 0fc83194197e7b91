import { Database } from 'bun:sqlite'
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { summarize } from './figures'

/** How long a commit takes: a row at a time, each flushed, in milliseconds. */
const folder = mkdtempSync(join(process.argv[2]!, 'commits-'))
const database = new Database(join(folder, 'commits.db'))
database.run('PRAGMA journal_mode = WAL')
database.run('PRAGMA synchronous = FULL')
database.run('CREATE TABLE rows (text TEXT)')
const insert = database.query('INSERT INTO rows VALUES (?)')
const times: number[] = []
for (let number = 0; number < 300; number++) {
  const started = performance.now()
  insert.run('x'.repeat(300))
  times.push(performance.now() - started)
}
database.close()
rmSync(folder, { recursive: true })
console.log(summarize(times).median)
