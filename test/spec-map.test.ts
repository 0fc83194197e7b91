import { describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot, read, tablesOf } from './documents'

const tables = tablesOf('docs/api.md').filter(({ head }) => head[1] === 'proved by')
const guarantees = tablesOf('docs/security.md').filter(({ head }) => head[1] === 'proved by')
const rows = [...tables, ...guarantees].flatMap(({ rows }) => rows as [string, string][])
const named = rows.flatMap(([, proof]) => [...proof.matchAll(/`([^`]+\.test\.ts)`: “([^”]+)”/g)])

describe('the list of guarantees and their tests', () => {
  test('covers every section of the specification', () => {
    const sections = new Set(tables[0]!.rows.flatMap(([row]) => row!.match(/§\d/g) ?? []))
    // Sections 6 and 7 say only what is out of scope.
    expect([...sections].sort()).toEqual(['§1', '§2', '§3', '§4', '§5', '§8', '§9'])
  })

  test('names a test for every statement', () => {
    expect([tables.length, rows.length > 50, guarantees.length > 1]).toEqual([2, true, true])
    expect(rows.filter(([, proof]) => !proof.includes('.test.ts`: “'))).toEqual([])
  })

  test('names only existing tests', () => {
    const missing = named.filter(([, file, name]) => !testExists(join('test', file!), name!))
    expect(missing.map(([text]) => text)).toEqual([])
  })
})

/** Whether a file contains this name of a test, or of a group of tests, in quotes. */
function testExists(file: string, name: string): boolean {
  if (!existsSync(join(projectRoot, file))) return false
  const source = read(file)
  return ["'", '"', '`'].some((quote) => source.includes(`${quote}${name}${quote}`))
}
