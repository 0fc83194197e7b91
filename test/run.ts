import { ensurePrograms } from './debian'
import { startPostgres } from './postgres'
import { ensureChromium } from './web/chromium'

/**
 * `npm test`: types, lint, the whole suite on each engine, and the tests in the browser. Arguments are passed to
 * `bun test`.
 */
const args = process.argv.slice(2)
const isAll = args.length === 0
const IN_BROWSER = 'test/web/'
/** Slow tests that do not depend on the engine. */
const ONCE = 'test/once/'
const totals = { passed: 0, failed: 0 }

type Engine = 'sqlite' | 'postgres'

interface Step {
  isDone: boolean
  output: string
}

/** Runs a command and prints its output: live, or at its end if steps run in parallel. */
async function step(name: string, command: string[], env: Record<string, string> = {}): Promise<Step> {
  console.log(`\n── ${name}${isAll ? ' …' : ''}`)
  const started = performance.now()
  const child = Bun.spawn(command, { env: { ...process.env, ...env }, stdout: 'pipe', stderr: 'pipe' })
  let output = ''
  const listen = async (stream: ReadableStream<Uint8Array>) => {
    const decoder = new TextDecoder()
    for await (const chunk of stream) {
      const text = decoder.decode(chunk, { stream: true })
      output += text
      if (!isAll) process.stderr.write(text)
    }
  }
  await Promise.all([listen(child.stdout), listen(child.stderr)])
  const isDone = (await child.exited) === 0
  if (!isDone) process.exitCode = 1
  if (isAll) console.log(`\n── ${name}\n${output.trimEnd()}`)
  console.log(`   ${name}: ${isDone ? 'done' : 'FAILED'} in ${((performance.now() - started) / 1000).toFixed(1)} s`)
  return { isDone, output }
}

/** A step that counts as one test. */
async function check(name: string, command: string[]) {
  const { isDone } = await step(name, command)
  totals[isDone ? 'passed' : 'failed'] += 1
}

async function suite(name: string, engine: Engine, words: string[], env: Record<string, string> = {}) {
  const command = [process.execPath, 'test', '--timeout', '60000', ...words]
  const { isDone, output } = await step(name, command, { ...env, PARLEY_TEST_ENGINE: engine })
  // The last match is the summary; tests may print similar lines before it.
  const count = (word: string) =>
    Number([...output.matchAll(new RegExp(`^\\s*(\\d+) ${word}$`, 'gm'))].at(-1)?.[1] ?? 0)
  totals.passed += count('pass')
  // A file that does not load, or a run that stops early, counts as a failure.
  totals.failed += count('fail') || (isDone && count('pass') > 0 ? 0 : 1)
}

/** Arguments are parts of file names, or flags of `bun test`. */
const isFlag = (arg: string, at: number) => arg.startsWith('-') || args[at - 1] === '-t'
const flags = args.filter(isFlag)
const words = args.filter((arg, at) => !isFlag(arg, at))
const isWanted = (file: string) => words.length === 0 || words.some((word) => file.includes(word.replace(/^\.\//, '')))
const files = [...new Bun.Glob('test/**/*.test.ts').scanSync('.')].filter(isWanted).sort()
const inBrowser = files.filter((file) => file.startsWith(IN_BROWSER))
const once = files.filter((file) => file.startsWith(ONCE))
const onEngines = files.filter((file) => !file.startsWith(IN_BROWSER) && !file.startsWith(ONCE))

if (isAll)
  await Promise.all([
    check('types', ['node_modules/.bin/tsc', '--noEmit']),
    check('lint', ['node_modules/.bin/biome', 'check', '--error-on-warnings', '.']),
    check('docs/openapi.json is up to date', [
      'bash',
      '-c',
      `'${process.execPath}' src/main.ts openapi | diff docs/openapi.json - || { echo 'Run: npm run openapi'; exit 1; }`,
    ]),
  ])

const notTwice = ['--path-ignore-patterns', `{${IN_BROWSER},${ONCE}}**`]
const onPostgresToo = inBrowser.filter((file) => file.endsWith('two-browsers.test.ts'))
// Before the tests, so that it does not count against the timeout of the first.
if (inBrowser.length > 0) ensureChromium()
if (once.some((file) => file.includes('/deploy/'))) ensurePrograms()

async function testOnSqlite() {
  if (onEngines.length > 0) await suite('tests on sqlite', 'sqlite', [...notTwice, ...args])
  if (once.length > 0) await suite('tests that do not depend on the engine', 'sqlite', [...flags, ...once])
  if (inBrowser.length > 0) await suite('tests in the browser', 'sqlite', [...flags, ...inBrowser])
}

async function testOnPostgres() {
  if (onEngines.length === 0 && onPostgresToo.length === 0) return
  const postgres = await startPostgres()
  const env = { PARLEY_TEST_POSTGRES: postgres.url }
  try {
    if (onEngines.length > 0) await suite('tests on postgres', 'postgres', [...notTwice, ...args], env)
    if (onPostgresToo.length > 0)
      await suite('tests in the browser, on postgres', 'postgres', [...flags, ...onPostgresToo], env)
  } finally {
    await postgres.destroy()
  }
}

// The whole suite uses two cores.
if (isAll) await Promise.all([testOnSqlite(), testOnPostgres()])
else {
  await testOnSqlite()
  await testOnPostgres()
}

if (files.length === 0) {
  console.error(`There is no test file named like ${words.join(' or ')}.`)
  process.exitCode = 1
}
console.log(`\n${totals.passed} passed, ${totals.failed} failed`)
process.exit(totals.failed > 0 ? 1 : (process.exitCode ?? 0))
