import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { start } from '../command'
import { projectRoot } from '../documents'
import { waitUntil } from '../torture/child'

// Each server is a separate process, or several.
setDefaultTimeout(300_000)

const folder = mkdtempSync(join(tmpdir(), 'parley-log-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const environment = (more: Record<string, string>) => ({
  ...{ PORT: '0', HOST: '127.0.0.1', LOG_FORMAT: 'json' },
  DATABASE_URL: `sqlite:${join(mkdtempSync(join(folder, 'db-')), 'parley.db')}`,
  ...more,
})

/** A server that is ready, and what it writes to stderr until it exits. */
async function running(more: Record<string, string> = {}, args: string[] = []) {
  const child = start(['serve', ...args], environment(more))
  const output = { text: '', errors: '' }
  const collect = async (stream: ReadableStream<Uint8Array>, into: 'text' | 'errors') => {
    const decoder = new TextDecoder()
    for await (const chunk of stream) output[into] += decoder.decode(chunk, { stream: true })
  }
  const read = Promise.all([collect(child.stdout, 'text'), collect(child.stderr, 'errors')])
  await waitUntil(() => /\/docs\n/.test(output.text) || child.exitCode !== null)
  return {
    child,
    url: output.text.match(/http:\/\/[^\s/]+/)![0],
    /** What all its processes have written, once they have exited. */
    async end() {
      await read
      return output.errors
    },
  }
}

const stops = (log: string) =>
  log
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line))
    .filter(({ message }) => /stop/i.test(message))
    .map(({ level, message, reason }) => ({ level, message, reason }))

describe('the log of a server that stops', () => {
  test.each(['SIGTERM', 'SIGINT'] as const)('says once that it was %s', async (signal) => {
    const { child, end } = await running()
    child.kill(signal)
    expect(stops(await end())).toEqual([{ level: 'info', message: 'The server is stopping', reason: signal }])
    expect(await child.exited).toBe(0)
  })

  test('says it once for all workers', async () => {
    const { child, end } = await running({}, ['--workers', '2'])
    child.kill('SIGTERM')
    expect(stops(await end())).toEqual([{ level: 'info', message: 'The server is stopping', reason: 'SIGTERM' }])
    expect(await child.exited).toBe(0)
  })

  test('says once that the process which started its workers is gone', async () => {
    const { child, end } = await running({}, ['--workers', '2'])
    child.kill('SIGKILL')
    expect(stops(await end())).toEqual([
      { level: 'info', message: 'The server is stopping', reason: 'its supervisor exited' },
    ])
  })

  test('says that all workers exited with an error', async () => {
    const child = start(['serve', '--workers', '2'], environment({ DATABASE_URL: 'sqlite:package.json' }))
    const errors = await new Response(child.stderr).text()
    expect(await child.exited).toBe(1)
    expect(stops(errors)).toEqual([
      { level: 'error', message: 'The server is stopping', reason: 'all workers exited with an error' },
    ])
  })
})

describe('LOG_FORMAT=text', () => {
  const ESCAPE = '\x1b['

  test('has no colours in a pipe', async () => {
    const { child, end } = await running({ LOG_FORMAT: 'text' })
    child.kill('SIGTERM')
    const log = await end()
    expect(log).toMatch(/^\d\d:\d\d:\d\d The server is stopping reason=SIGTERM$/m)
    expect(log).not.toContain(ESCAPE)
  })

  test.each([
    ['has colours in a terminal', {}, true],
    ['has no colours in a terminal with NO_COLOR', { NO_COLOR: '1' }, false],
  ])('%s', async (_, more, isColored) => {
    const env: Record<string, string> = { ...environment({ LOG_FORMAT: 'auto', ...more }), PATH: process.env.PATH! }
    const chunks: string[] = []
    const shown = () => chunks.join('')
    const child = Bun.spawn([process.execPath, 'src/start.ts', 'serve'], {
      cwd: projectRoot,
      env,
      terminal: { cols: 200, rows: 50, data: (_, bytes) => void chunks.push(new TextDecoder().decode(bytes)) },
    })
    await waitUntil(() => /\/docs/.test(shown()))
    child.kill('SIGTERM')
    expect(await child.exited).toBe(0)
    await waitUntil(() => shown().includes('reason=SIGTERM'))
    const line = shown()
      .split('\n')
      .find((each) => each.includes('reason=SIGTERM'))!
    expect(line.includes(ESCAPE)).toBe(isColored)
  })
})
