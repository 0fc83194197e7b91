import { sql } from 'kysely'
import type { Db } from '../db'

/** The tables of the schema that Parley is in, by name. */
export async function listPostgresTables(db: Db): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`SELECT table_name AS name FROM information_schema.tables
    WHERE table_schema = current_schema() AND table_type = 'BASE TABLE' ORDER BY table_name`.execute(db)
  return rows.map(({ name }) => name)
}
