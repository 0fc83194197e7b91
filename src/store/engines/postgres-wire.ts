import type { SQL } from 'bun'
import type { Wire } from '../db'
import { isBoolean } from './booleans'
import type { OnStatement } from './engine'

type Row = Record<string, unknown>
type Result = Row[] & SQL.ResultMetadata

/** The object identifiers of int8 and numeric. */
const WIDE_NUMBERS = [20, 1700]

/** Which columns hold such numbers, by the prepared statement. */
const wideColumns = new WeakMap<SQL.ResultStatement, WideColumns>()

interface WideColumns {
  numbers: string[]
  booleans: string[]
}

function findWideColumns({ columns }: SQL.ResultStatement): WideColumns {
  const names = columns.filter(({ type }) => WIDE_NUMBERS.includes(type)).map(({ name }) => name)
  return { numbers: names.filter((name) => !isBoolean(name)), booleans: names.filter(isBoolean) }
}

/** 64-bit integers come as text. Here they are keys, counts and milliseconds: all within what a number holds exactly. */
function convertRows(result: Result): Row[] {
  if (result.length === 0) return result
  const { numbers, booleans } = wideColumns.getOrInsertComputed(result.statement!, findWideColumns)
  for (const column of numbers) for (const row of result) if (row[column] !== null) row[column] = Number(row[column])
  for (const column of booleans)
    for (const row of result) if (row[column] !== null) row[column] = Number(row[column]) === 1
  return result
}

const toStored = (value: unknown) => (typeof value === 'boolean' ? Number(value) : value)

/** Runs a statement on a connection, and waits for the reply. */
type Run = (statement: (sql: SQL) => PromiseLike<Result>) => Promise<Result>

/** Runs statements over a pool, or over one connection of it. Those that are not awaited in between are pipelined. */
export function wireOver(run: Run, onStatement: OnStatement): Wire {
  return {
    async execute(text, values) {
      const stored = values.map(toStored)
      onStatement(text, stored)
      const result = await run((sql) => sql.unsafe(text, stored))
      return { rows: convertRows(result), changes: result.count }
    },
  }
}
