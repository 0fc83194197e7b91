import { Database } from 'bun:sqlite'
import type { Running } from '../src/server'
import type { Db } from '../src/store/engines/db'
import { SEARCH_WORDS } from '../src/store/engines/search/sqlite-words'
import { engineUnderTest } from './server'

export interface Statement {
  sql: string
  values: readonly unknown[]
}

/** The lines of the query plan of a statement. */
export const planOf = (server: Running, statements: Statement): Promise<string[]> =>
  engineUnderTest === 'sqlite' ? planOfSqlite(server, statements) : planOfPostgres(server, statements)

/** Uses a separate connection: EXPLAIN keeps its snapshot. */
async function planOfSqlite({ parley }: Running, { sql, values }: Statement): Promise<string[]> {
  const database = new Database(parley.engine.location, { readonly: true })
  database.run(SEARCH_WORDS)
  try {
    const rows = database.query(`EXPLAIN QUERY PLAN ${sql}`).all(...(values as []))
    return (rows as { detail: string }[]).map(({ detail }) => detail)
  } finally {
    database.close()
  }
}

const planOfPostgres = ({ parley }: Running, statement: Statement): Promise<string[]> =>
  parley.engine.read((db) => explain(db as Db, statement))

async function explain({ wire }: Db, { sql, values }: Statement): Promise<string[]> {
  const { rows } = await wire.execute(`EXPLAIN (FORMAT JSON) ${sql}`, values)
  return (rows as { 'QUERY PLAN': { Plan: PlanNode }[] }[]).flatMap((row) => linesOf(row['QUERY PLAN'][0]!.Plan))
}

/** The plan for tables that are too small for PostgreSQL to use their indexes: a scan is in it only if there is no index. */
export async function indexedPlanOf(server: Running, statement: Statement): Promise<string[]> {
  if (engineUnderTest === 'sqlite') return planOf(server, statement)
  return server.parley.engine.writeAlone(async (db) => {
    for (const way of ['seqscan', 'bitmapscan']) await db.wire.execute(`SET LOCAL enable_${way} = off`, [])
    return explain(db, statement)
  })
}

interface PlanNode {
  'Node Type': string
  'Relation Name'?: string
  'Index Name'?: string
  'Plan Rows': number
  'Sort Key'?: string[]
  Plans?: PlanNode[]
}

function linesOf(node: PlanNode): string[] {
  const { 'Node Type': type, 'Relation Name': table, 'Index Name': index, 'Sort Key': keys, Plans: below = [] } = node
  const on = [table && `on ${table}`, index && `using ${index}`].filter(Boolean).join(' ')
  // The input of a sort is the output of its child node.
  const sorts = type.endsWith('Sort') && keys ? ` of ${below[0]!['Plan Rows']} rows` : ''
  return [`${type} ${on}${sorts}`.trim(), ...below.flatMap(linesOf)]
}

/** A sort of this many rows is fine: a page from each of a few ranges. */
const MAX_SORTED_ROWS = 1_000

/** The lines of a plan whose cost grows with the table. */
export function findGrowing(plan: readonly string[], tables: readonly string[]): string[] {
  const names = tables.join('|')
  const bad =
    engineUnderTest === 'sqlite'
      ? [new RegExp(`^SCAN (${names})\\b`), wholeWorkspaceOf(names), /AUTOMATIC/, /USE TEMP B-TREE/]
      : [new RegExp(`^(Parallel )?(Seq|Bitmap Heap) Scan on (${names})\\b`), /^Gather/]
  return plan.filter((line) => bad.some((pattern) => pattern.test(line)) || sortedRows(line) > MAX_SORTED_ROWS)
}

/** A search by nothing but the workspace. */
const wholeWorkspaceOf = (names: string) => new RegExp(`^SEARCH (${names}) .*\\(workspace_key=\\?\\)$`)

const sortedRows = (line: string) => Number(line.match(/Sort.* of (\d+) rows$/)?.[1] ?? 0)
