import type { SQL } from 'bun'
import type { Wire } from '../db'
import type { OnStatement } from './engine'

type Row = Record<string, unknown>
type Result = Row[] & SQL.ResultMetadata

/** The object identifiers of int8 and numeric. */
const WIDE_NUMBERS = [20, 1700]

/** Which columns hold such numbers, by the prepared statement. */
const wideColumns = new WeakMap<SQL.ResultStatement, string[]>()

const findWideColumns = ({ columns }: SQL.ResultStatement) =>
  columns.filter(({ type }) => WIDE_NUMBERS.includes(type)).map(({ name }) => name)

/** 64-bit integers come as text. Here they are keys, counts and milliseconds: all within what a number holds exactly. */
function toNumbers(result: Result): Row[] {
  if (result.length === 0) return result
  for (const column of wideColumns.getOrInsertComputed(result.statement!, findWideColumns))
    for (const row of result) if (row[column] !== null) row[column] = Number(row[column])
  return result
}

/** Runs statements over a pool, or over one connection of it. Those that are not awaited in between are pipelined. */
export function wireOver(sql: SQL, onStatement: OnStatement): Wire {
  return {
    async execute(text, values) {
      onStatement(text, values)
      const result: Result = await sql.unsafe(text, values as unknown[])
      return { rows: toNumbers(result), changes: result.count }
    },
  }
}
