import { expect } from 'bun:test'
import type { Running } from '../src/server'
import { recount } from '../src/store/recount'

/** Counters and copies in the database that do not match their rows. */
export const findInconsistencies = ({ parley }: Pick<Running, 'parley'>): Promise<string[]> =>
  parley.engine.read((db) => recount(db))

/** Expects all counters, copied columns, the log and the search index to match the rows. */
export async function expectConsistent(server: Pick<Running, 'parley'>) {
  expect(await findInconsistencies(server)).toEqual([])
}
