import { type RawBuilder, sql } from 'kysely'
import type { JsonPath, SqlSyntax } from '../syntax'

const MAX_MERGED = 200

const pathTo = (path: JsonPath) => sql.lit(`$.${path.join('.')}`)

export const sqliteSyntax: SqlSyntax = {
  kind: 'sqlite',
  key: 'integer primary key autoincrement',
  int: 'integer',
  text: 'text',
  bytes: 'blob',
  indexOf: 'instr',

  // SQLite merges the ranges as it reads them, but takes no more than 500 of them at once.
  mergeInOrder(selects, order, limit) {
    const union = (parts: readonly RawBuilder<unknown>[]) => sql`${sql.join(parts, sql` UNION ALL `)} ${order}`
    if (selects.length <= MAX_MERGED) return union(selects)
    const groups = Array.from({ length: Math.ceil(selects.length / MAX_MERGED) }, (_, at) =>
      selects.slice(at * MAX_MERGED, (at + 1) * MAX_MERGED),
    )
    return union(groups.map((group) => sql`SELECT key, at, id FROM (${union(group)} LIMIT ${limit})`))
  },

  // SQLite is twice as fast if the limit is a literal.
  limit: (count) => sql.lit(count),
  first: (query, count) => sql`${query} LIMIT ${sql.lit(count)}`,

  // `group_concat` takes the rows in the order in which the subquery returns them.
  joinInOrder: (text, separator) => sql`group_concat(${text}, ${sql.lit(separator)})`,

  textInJson: (json, path) => sql`json_extract(${json}, ${pathTo(path)})`,

  replaceInJson: (json, values) =>
    sql`json_replace(${json}, ${sql.join(values.flatMap(({ path, to }) => [pathTo(path), sql.lit(to)]))})`,

  isInJson: (column, json) => sql`${sql.ref(column)} IN (SELECT value FROM json_each(${json}))`,
  isInTextJson: (column, json) => sql`${sql.ref(column)} IN (SELECT value FROM json_each(${json}))`,
  rowsOfJson(json, columns) {
    const values = Object.keys(columns).map((name, at) => sql`value ->> ${sql.lit(at)} AS ${sql.ref(name)}`)
    return sql`(SELECT ${sql.join(values)} FROM json_each(${json}))`
  },
  joinByKeys: (table, name, keys) =>
    sql`JOIN ${sql.table(table)} AS ${sql.ref(name)} ON ${sql.ref(`${name}.key`)} IN (${keys})`,
  // Both columns at once: with two conditions, SQLite may read all records of the workspace from another index.
  hasIdInJson: (table, workspaceKey, json) =>
    sql`(${sql.ref(`${table}.workspace_key`)}, ${sql.ref(`${table}.id`)}) IN (SELECT ${workspaceKey}, value FROM json_each(${json}))`,
  quoteJson: (expression) => `json_quote(${expression})`,
  isoTime: (expression) => `strftime('%Y-%m-%dT%H:%M:%fZ', ${expression} / 1000.0, 'unixepoch')`,
  utf8: (text) => sql`CAST(${text} AS BLOB)`,

  async continueKeys(db, from, to) {
    await sql`DELETE FROM sqlite_sequence WHERE name = ${to}`.execute(db)
    await sql`INSERT INTO sqlite_sequence (name, seq) SELECT ${to}, seq FROM sqlite_sequence WHERE name = ${from}`.execute(
      db,
    )
  },

  // There is one writer, so no row is ever held by another.
  forUpdate: (query) => query,
  skipLocked: (query) => query,

  searchedInIndex: (column) => [column],

  // There is no round trip to save, and a statement of several rows also has to journal how to undo itself.
  rowsPerInsert: 1,

  // There is one writer at a time, so what follows the last key is free until the end of the transaction.
  async reserveKeys(db, table, count) {
    const { rows } = await sql<{ seq: number }>`SELECT seq FROM sqlite_sequence WHERE name = ${table}`.execute(db)
    const last = rows[0]?.seq ?? 0
    return Array.from({ length: count }, (_, at) => last + 1 + at)
  },
}
