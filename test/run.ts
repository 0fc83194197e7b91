import { startPostgres } from './postgres'

/** What `npm test` does: types, lint, then the whole suite on each engine. Arguments go to `bun test`. */
const args = process.argv.slice(2)
const totals = { passed: 0, failed: 0 }

async function step(name: string, command: string[], env: Record<string, string> = {}): Promise<string> {
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
  if ((await child.exited) !== 0) process.exitCode = 1
  console.log(
    `   ${child.exitCode === 0 ? 'done' : 'FAILED'} in ${((performance.now() - started) / 1000).toFixed(1)} s`,
  )
  return output
}

/** A step that is one check: right or wrong. */
async function check(name: string, command: string[]) {
  await step(name, command)
  if (process.exitCode) totals.failed += 1
  else totals.passed += 1
}

async function suite(engine: 'sqlite' | 'postgres', env: Record<string, string> = {}) {
  const command = [process.execPath, 'test', '--timeout', '60000', ...args]
  const output = await step(`tests on ${engine}`, command, { ...env, PARLEY_TEST_ENGINE: engine })
  const count = (word: string) => Number(output.match(new RegExp(`^\\s*(\\d+) ${word}$`, 'm'))?.[1] ?? 0)
  totals.passed += count('pass')
  totals.failed += count('fail')
  if (count('pass') === 0) {
    console.error(`No test ran on ${engine}.`)
    totals.failed += 1
    process.exitCode = 1
  }
}

if (args.length === 0) {
  await check('types', ['node_modules/.bin/tsc', '--noEmit'])
  await check('lint', ['node_modules/.bin/biome', 'check', '--error-on-warnings', '.'])
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
