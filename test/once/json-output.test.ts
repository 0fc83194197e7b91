import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { closeSync, cpSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { version } from '../../src/version'
import { parley, serve } from '../command'
import { read } from '../documents'

// Each server and each command is a separate process.
setDefaultTimeout(300_000)

const folder = mkdtempSync(join(tmpdir(), 'parley-json-'))
const env = { DATABASE_URL: `sqlite:${join(folder, 'parley.db')}` }
const file = join(folder, 'one.backup')
type Json = Record<string, unknown>

beforeAll(async () => {
  const server = await serve(env, /\/docs\n/)
  await server.stop()
})
afterAll(() => rmSync(folder, { recursive: true }))

/** Runs a command with --json, and expects one JSON object and nothing else on stdout. */
async function run(args: string[], settings: Record<string, string> = env) {
  const { code, stdout, stderr } = await parley([...args, '--json'], settings)
  return { code, stderr, json: JSON.parse(stdout) as Json }
}

/** The JSON that the guide shows after a command. */
const shown = (command: string): Json => {
  const guide = read('docs/self-hosting.md')
  const at = guide.indexOf(`$ parley ${command}`)
  expect([command, at > 0]).toEqual([command, true])
  return JSON.parse(guide.slice(at).match(/^\{\n.*?^\}$/ms)![0])
}
const typesOf = (json: Json) => Object.entries(json).map(([name, value]) => [name, typeof value])

test('doctor --json is one object, as documented', async () => {
  const { code, json, stderr } = await run(['doctor'])
  expect([code, stderr]).toEqual([0, ''])
  expect(json).toMatchObject({ version, is_healthy: true, problems_count: 0 })
  const documented = shown('doctor --json')
  // The sources have none.
  expect(typesOf({ ...json, commit: json.commit ?? 'abc1234' })).toEqual(typesOf(documented))
  const [check] = documented.checks as Json[]
  const checks = json.checks as Json[]
  for (const each of checks) expect(Object.keys(each)).toEqual(Object.keys(check!))
  expect(checks).toContainEqual({ name: 'settings', is_ok: true, message: 'all valid', advice: null })
  expect(checks.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['e-mail', 'database', 'schema', 'counters', 'search index', 'files']),
  )
})

test('doctor --json reports problems, with exit code 1', async () => {
  const { code, json } = await run(['doctor'], { PORT: 'many', DATABASE_URL: 'postgres://ada:hunter2@host' })
  expect(code).toBe(1)
  expect(json).toMatchObject({ is_healthy: false, problems_count: 2 })
  expect((json.checks as Json[]).toSorted((a, b) => (String(a.message) < String(b.message) ? 1 : -1))).toEqual([
    { name: 'settings', is_ok: false, message: expect.stringContaining('PORT=many'), advice: expect.any(String) },
    { name: 'settings', is_ok: false, message: expect.stringContaining('DATABASE_URL='), advice: expect.any(String) },
  ])
  expect(JSON.stringify(json)).not.toContain('hunter2')
})

describe('backup', () => {
  test('--json is one object, as documented, and so is that of verify', async () => {
    const made = await run(['backup', file])
    expect(made.code).toBe(0)
    expect(typesOf(made.json)).toEqual(typesOf(shown('backup /backups/parley-2026-11-15.backup --json')))
    expect(made.json).toEqual({
      file,
      is_complete: true,
      bytes: Bun.file(file).size,
      seconds: expect.any(Number),
      contains_files: true,
      contains_secret_key: true,
      lost_files_count: 0,
      error: null,
    })
    const verified = await run(['backup', 'verify', file], {})
    expect([verified.code, verified.stderr]).toEqual([0, ''])
    expect(typesOf(verified.json)).toEqual(typesOf(shown('backup verify /backups/parley-2026-11-15.backup --json')))
    expect(verified.json).toMatchObject({
      ...{ file, is_undamaged: true, bytes: Bun.file(file).size, engine: 'sqlite', parley_version: version },
      ...{ contains_files: true, contains_secret_key: true, lost_files_count: 0, error: null },
    })
    expect(new Date(verified.json.created_at as string).getTime()).toBeGreaterThan(Date.now() - 3_600_000)
  })

  test('--json says that it failed, with the exit code and the same fields', async () => {
    const existing = await run(['backup', file])
    expect(existing.code).toBe(1)
    expect(existing.json).toEqual({
      ...{ file, is_complete: false, bytes: null, seconds: null, contains_files: null, contains_secret_key: null },
      ...{ lost_files_count: null, error: expect.stringContaining('--force') },
    })
    expect(existing.stderr).toBe(`parley: ${existing.json.error}\n`)
    const away = await run(['backup', join(folder, 'x')], { DATABASE_URL: 'postgres://u:hunter2@127.0.0.1:1/none' })
    expect(away).toMatchObject({ code: 1, json: { is_complete: false } })
    expect(JSON.stringify(away)).not.toContain('hunter2')
  })

  test('verify --json says what is damaged', async () => {
    const broken = join(folder, 'broken.backup')
    cpSync(file, broken)
    const handle = openSync(broken, 'r+')
    writeSync(handle, Buffer.from([1, 2, 3]), 0, 3, 20_000)
    closeSync(handle)
    const { code, json, stderr } = await run(['backup', 'verify', broken], {})
    expect(code).toBe(1)
    expect(json).toEqual({
      ...{ file: broken, is_undamaged: false, bytes: null, seconds: null, created_at: null, parley_version: null },
      ...{ engine: null, contains_files: null, contains_secret_key: null, lost_files_count: null },
      error: expect.stringMatching(/is damaged: /),
    })
    expect(stderr).toBe(`parley: ${json.error}\n`)
  })
})
