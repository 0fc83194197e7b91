import { expect, test } from 'bun:test'
import { DatabaseDamaged, openDamageReport, SearchIndexDamaged } from '../../src/store/engines/damage'
import { sqliteProblem } from '../../src/store/engines/sqlite/errors'

/** FTS5 reports what it cannot read with a code of its own. */
const indexError = Object.assign(new Error('database disk image is malformed'), { code: 'SQLITE_CORRUPT_VTAB' })
const fileError = Object.assign(new Error('database disk image is malformed'), { code: 'SQLITE_CORRUPT' })

test('a damaged search index does not take a node out of service, and is reported', () => {
  const reported: unknown[] = []
  const damage = openDamageReport((found) => reported.push(found.cause))
  const problem = damage.pass(sqliteProblem(indexError))
  expect(problem).toBeInstanceOf(SearchIndexDamaged)
  expect((problem as SearchIndexDamaged).detail).toContain('search index is damaged')
  expect(reported).toEqual([indexError])
  expect(() => damage.refuse()).not.toThrow()
})

test('a damaged file does', () => {
  const damage = openDamageReport()
  expect(damage.pass(sqliteProblem(fileError))).toBeInstanceOf(DatabaseDamaged)
  expect(() => damage.refuse()).toThrow()
})
