import { expect } from 'bun:test'
import type { Running } from '../src/server'
import { runChecks } from '../src/store/checks/consistency'
import { compareIndex } from '../src/store/checks/search'
import type { Reader } from '../src/store/engines/db'

/** Counters, copies and texts of the search index that do not match their rows, in a database that nobody writes to. */
export const findFaults = async (db: Reader): Promise<string[]> => [
  ...(await runChecks(db)),
  ...(await compareIndex((work) => work(db))),
]

/** The same, as of one moment. */
export const findInconsistencies = ({ parley }: Pick<Running, 'parley'>): Promise<string[]> =>
  parley.engine.snapshot(findFaults)

/** Expects all counters, copied columns, the log and the search index to match the rows. */
export async function expectConsistent(server: Pick<Running, 'parley'>) {
  expect(await findInconsistencies(server)).toEqual([])
}
