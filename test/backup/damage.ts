import { Database } from 'bun:sqlite'
import { closeSync, openSync, statSync, truncateSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import type { Postgres } from '../postgres'

const GARBAGE = 0xa5

/** Overwrites leaf pages in the middle of a table of a SQLite file, whether or not a server uses it. */
export function damageSqlite(file: string, table: string) {
  const { pages, size } = leafPages(file, table)
  const [from, to] = [Math.floor(pages.length / 3), Math.ceil((pages.length * 2) / 3)]
  overwrite(
    file,
    pages.slice(from, to).map((page) => ({ at: (page - 1) * size, length: size })),
  )
}

/** Cuts a SQLite file in half. */
export const cutSqlite = (file: string) => truncateSync(file, Math.floor(statSync(file).size / 8192) * 4096)

/** What is only in the WAL would hide the damage. */
export function foldWal(file: string) {
  const database = new Database(file)
  database.run('PRAGMA wal_checkpoint(TRUNCATE)')
  database.close()
}

function leafPages(file: string, table: string) {
  foldWal(file)
  const database = new Database(file)
  try {
    const rows = database
      .query<{ pageno: number; pgsize: number }, [string]>(
        "SELECT pageno, pgsize FROM dbstat WHERE name = ? AND pagetype = 'leaf' ORDER BY pageno",
      )
      .all(table)
    return { pages: rows.map(({ pageno }) => pageno), size: rows[0]!.pgsize }
  } finally {
    database.close()
  }
}

/** Overwrites the middle of a table's file while PostgreSQL is stopped, then starts it again. */
export async function damagePostgres(postgres: Postgres, url: string, table: string) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query('SELECT pg_relation_filepath($1) AS path, pg_relation_size($1) AS size', [table])
  await client.end()
  const { path, size } = rows[0] as { path: string; size: number }
  await postgres.stop()
  const pages = Math.floor(Number(size) / 8192)
  const damaged = Array.from({ length: pages }, (_, page) => page).slice(Math.floor(pages / 3), Math.ceil(pages / 1.5))
  overwrite(
    join(postgres.data, path),
    damaged.map((page) => ({ at: page * 8192 + 100, length: 4000 })),
  )
  await postgres.start()
}

function overwrite(file: string, ranges: readonly { at: number; length: number }[]) {
  const handle = openSync(file, 'r+')
  for (const { at, length } of ranges) writeSync(handle, Buffer.alloc(length, GARBAGE), 0, length, at)
  closeSync(handle)
}
