import { expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { longLinesOf } from '../documents'

const parts = [
  'cold',
  'repeated',
  'writes',
  'personal',
  'members',
  'search',
  'sizes',
  'start',
  'memory',
  'attention',
  'wire',
  'workers',
  'streams',
  'files',
  'agents',
]
const sections = [
  'Reads on SQLite',
  'Reads on PostgreSQL',
  'Writes',
  'What members do for themselves',
  'Member search',
  'Search at',
  'Memory',
  'Attention',
  'Bytes on the wire',
  'Files: ',
  'Agents',
  'All results',
]

test('every part of the benchmark runs and appears in its report', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-bench-test-'))
  const report = join(folder, 'bench.md')
  try {
    const bench = Bun.spawn([process.execPath, 'bench/run.ts', '--quick', '--report', report, ...parts], {
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const errors = new Response(bench.stderr).text()
    await new Response(bench.stdout).text()
    expect(await bench.exited, await errors).toBe(0)

    const text = readFileSync(report, 'utf8')
    for (const section of sections) expect(text).toContain(`## ${section}`)
    expect(text).not.toMatch(/NaN|Infinity|∞|undefined/)
    expect(longLinesOf(report)).toEqual([])
    const rows = text.split('\n').filter((line) => line.startsWith('|'))
    expect(Math.max(...rows.map((row) => row.length))).toBeLessThan(160)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}, 1_200_000)
