import { expect } from 'bun:test'
import type { Running } from '../src/server'
import { recount } from '../src/store/recount'

/** What the store of this server disagrees with itself about. */
export const findInconsistencies = ({ parley }: Pick<Running, 'parley'>): Promise<string[]> =>
  parley.engine.read((db) => recount(db))

/** Every counter, every copied column, the log and the search index are what the rows say. */
export async function expectConsistent(server: Pick<Running, 'parley'>) {
  expect(await findInconsistencies(server)).toEqual([])
}
