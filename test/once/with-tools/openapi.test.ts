import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openApi } from '../../../src/http/openapi'
import { version } from '../../../src/version'
import { ensureTools, toolNamed } from '../../tools'

const folder = mkdtempSync(join(tmpdir(), 'parley-openapi-'))
/** As the server sends it, so that the examples are checked too. */
const document = join(folder, 'openapi.json')

beforeAll(async () => {
  await Bun.write(document, JSON.stringify(openApi(version), null, 2))
  await ensureTools()
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Runs a program of `tools/` and returns what it prints; fails if the program does. */
function run(name: string, ...args: string[]): string {
  const { exitCode, stdout, stderr } = Bun.spawnSync([toolNamed(name), ...args], {
    cwd: folder,
    env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', NO_COLOR: '1' },
  })
  if (exitCode !== 0) throw new Error(`${name} failed:\n${stdout}${stderr}`)
  return stdout.toString()
}

describe('the OpenAPI document', () => {
  test('has nothing that the strict rules of Redocly find', () => {
    const config = join(import.meta.dir, 'redocly.yaml')
    const report = JSON.parse(run('redocly', 'lint', document, '--config', config, '--format', 'json'))
    expect(report.totals).toEqual({ errors: 0, warnings: 0, ignored: 0 })
  })

  // All but one: it asks for an e-mail address and a page to contact, and a server of one's own has neither.
  test('has nothing that the rules of Spectral find', () => {
    const rules = join(import.meta.dir, 'spectral.json')
    const found = run('spectral', 'lint', document, '--ruleset', rules, '--format', 'json', '--quiet', '-F', 'hint')
    expect(JSON.parse(found)).toEqual([])
  })

  test('becomes clients that compile', async () => {
    run('openapi-typescript', document, '--output', join(folder, 'openapi-typescript.ts'))
    run('openapi-ts', '--input', document, '--output', join(folder, 'hey-api'), '--silent')
    run('orval', '--input', document, '--output', join(folder, 'orval.ts'), '--client', 'fetch')
    await Bun.write(join(folder, 'use.ts'), USE)
    await Bun.write(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: COMPILER_OPTIONS }))
    expect(run('tsc', '--project', folder)).toBe('')
  })
})

const COMPILER_OPTIONS = {
  strict: true,
  noEmit: true,
  module: 'ESNext',
  moduleResolution: 'bundler',
  target: 'ES2022',
  lib: ['ES2022', 'DOM', 'DOM.Iterable'],
  types: [],
}

/** A program of someone who uses what was generated. */
const USE = `import { postsCreate } from './hey-api'
import type { components, operations } from './openapi-typescript'
import { postsList } from './orval'

type CreatePost = components['schemas']['CreatePost']
const post: CreatePost = { channel_id: 'chan_1', title: 'Lunch?' }
// @ts-expect-error There is no such field.
export const misspelled: CreatePost = { channel_id: 'chan_1', titel: 'Lunch?' }

export const authorOf = (event: components['schemas']['PostCreatedEvent']): string => event.data.author.name
export const cursorOf = (page: operations['posts.list']['responses'][200]['content']['application/json']) =>
  page.next_cursor satisfies string | null

export async function use(): Promise<string | undefined> {
  const { data } = await postsCreate({ body: post, headers: { 'Idempotency-Key': 'build-4711' } })
  const list = await postsList({ limit: 1, sort: 'last_activity_at' })
  return list.status === 200 ? list.data.data[0]?.title : data?.title
}
`
