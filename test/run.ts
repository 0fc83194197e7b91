import { startPostgres } from './postgres'

/** What `npm test` does: types, lint, then the whole suite on each engine. Arguments go to `bun test`. */
const args = process.argv.slice(2)
const totals = { passed: 0, failed: 0 }

interface Step {
  isDone: boolean
  output: string
}

async function step(name: string, command: string[], env: Record<string, string> = {}): Promise<Step> {
  console.log(`\n── ${name}`)
  const started = performance.now()
  const child = Bun.spawn(command, { env: { ...process.env, ...env }, stdout: 'inherit', stderr: 'pipe' })
  let output = ''
  const decoder = new TextDecoder()
  for await (const chunk of child.stderr) {
    const text = decoder.decode(chunk, { stream: true })
    output += text
    process.stderr.write(text)
  }
  const isDone = (await child.exited) === 0
  if (!isDone) process.exitCode = 1
  console.log(`   ${isDone ? 'done' : 'FAILED'} in ${((performance.now() - started) / 1000).toFixed(1)} s`)
  return { isDone, output }
}

/** A step that is one check: right or wrong. */
async function check(name: string, command: string[]) {
  const { isDone } = await step(name, command)
  totals[isDone ? 'passed' : 'failed'] += 1
}

async function suite(engine: 'sqlite' | 'postgres', env: Record<string, string> = {}) {
  const command = [process.execPath, 'test', '--timeout', '60000', ...args]
  const { isDone, output } = await step(`tests on ${engine}`, command, { ...env, PARLEY_TEST_ENGINE: engine })
  // The last such lines are the summary; a test may print what it likes before.
  const count = (word: string) =>
    Number([...output.matchAll(new RegExp(`^\\s*(\\d+) ${word}$`, 'gm'))].at(-1)?.[1] ?? 0)
  totals.passed += count('pass')
  // A file that does not load, or a run that ends early, is a failure without a test.
  totals.failed += count('fail') || (isDone && count('pass') > 0 ? 0 : 1)
}

if (args.length === 0) {
  await check('types', ['node_modules/.bin/tsc', '--noEmit'])
  await check('lint', ['node_modules/.bin/biome', 'check', '--error-on-warnings', '.'])
  await check('docs/openapi.json is up to date', [
    'bash',
    '-c',
    `'${process.execPath}' src/main.ts openapi | diff docs/openapi.json - || { echo 'Run: npm run openapi'; exit 1; }`,
  ])
}
await suite('sqlite')
const postgres = await startPostgres()
try {
  await suite('postgres', { PARLEY_TEST_POSTGRES: postgres.url })
} finally {
  await postgres.destroy()
}

console.log(`\n${totals.passed} passed, ${totals.failed} failed`)
process.exit(totals.failed > 0 ? 1 : (process.exitCode ?? 0))
