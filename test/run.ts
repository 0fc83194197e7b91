import { existsSync, mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type Batch,
  batchByEngine,
  dependsOnEngine,
  type Engine,
  findFiles,
  isInBrowser,
  isInTier,
  needsPrograms,
  needsS3,
  needsTools,
  planBatches,
  type Tier,
} from './batches'
import { ensurePrograms } from './debian'
import { startPostgres } from './postgres'
import { failedTests, slowestFiles } from './summary'
import { ensurePostgresVersions, ensureS3, ensureTools, postgresVersions } from './tools'
import { ensureChromium } from './web/chromium'

/**
 * `npm test`: types, lint, the tests on each engine and in the browser. A run of all files is one of the first tier, or of
 * everything with `--all` (`npm run test:all`). Arguments are parts of file names, or flags of `bun test`. With
 * POSTGRES_VERSION, it is only what runs on PostgreSQL, on that version.
 */
const args = process.argv.slice(2).filter((arg) => arg !== '--all')
const tier: Tier = process.argv.includes('--all') ? 'all' : 'first'
const isAll = args.length === 0
const isFlag = (arg: string, at: number) => arg.startsWith('-') || args[at - 1] === '-t'
const flags = args.filter(isFlag)
const words = args.filter((arg, at) => !isFlag(arg, at))
const version = process.env.POSTGRES_VERSION
const files = findFiles(words).filter((file) =>
  version ? dependsOnEngine(file) : !isAll || isInTier(file, 'sqlite', tier),
)
const isOnEngine = ({ engine }: Batch) => !version || engine === 'postgres'
/** While a process waits for its database, its browser or a time limit, others compute. */
const PROCESSES = availableParallelism() + 3
/** In memory, where a commit does not wait for the disk, if there is room. */
const IN_MEMORY = '/dev/shm'
const databaseFolder = hasRoom(IN_MEMORY, 2 ** 31) ? IN_MEMORY : tmpdir()
/** All of its databases stay until the end. */
const postgresFolder = hasRoom(IN_MEMORY, 2 ** 33) ? IN_MEMORY : tmpdir()
const templatesFolder = mkdtempSync(join(databaseFolder, 'parley-templates-'))
const totals = { passed: 0, failed: 0 }
const outputs: string[] = []

function hasRoom(folder: string, bytes: number): boolean {
  if (!existsSync(folder)) return false
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize > bytes
}

interface Step {
  isDone: boolean
  output: string
}

/** Runs a command and prints its output: live, or if it fails among others that run in parallel. */
async function step(name: string, command: string[], env: Record<string, string> = {}): Promise<Step> {
  if (!isAll) console.log(`\n── ${name}`)
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
  const listening = Promise.all([listen(child.stdout), listen(child.stderr)])
  const isDone = (await child.exited) === 0
  // A process that a failed test left behind keeps its output open for ever.
  await Promise.race([listening, Bun.sleep(10_000)])
  if (!isDone) process.exitCode = 1
  if (isAll && !isDone) console.log(`\n── ${name}\n${output.trimEnd()}`)
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  // Without that of PostgreSQL and of browsers.
  const cpu = (Number(child.resourceUsage()?.cpuTime.total ?? 0) / 1e6).toFixed(1)
  console.log(`   ${name}: ${isDone ? 'done' : 'FAILED'} in ${seconds} s, ${cpu} s of CPU time`)
  return { isDone, output }
}

/** A step that counts as one test. */
const check = (name: string, command: string[]) => async () => {
  const { isDone } = await step(name, command)
  totals[isDone ? 'passed' : 'failed'] += 1
}

const checks = [
  check('types', ['node_modules/.bin/tsc', '--noEmit']),
  check('lint', ['node_modules/.bin/biome', 'check', '--error-on-warnings', '.']),
  check('docs/openapi.json is up to date', [
    'bash',
    '-c',
    `'${process.execPath}' scripts/openapi.ts | diff docs/openapi.json - || { echo 'Run: npm run openapi'; exit 1; }`,
  ]),
]

async function testBatch({ engine, files }: Batch, postgres: Record<string, string>) {
  const named = files.map((file) => file.replace(/^test\/|\.test\.ts$/g, '')).join(', ')
  const command = [process.execPath, 'test', '--timeout', '300000', ...flags, ...files.map((file) => `./${file}`)]
  const folder = mkdtempSync(join(databaseFolder, 'parley-tests-'))
  for (const { isNeeded, done } of installations) if (files.some(isNeeded)) await done
  const { isDone, output } = await step(`${isAll ? named : 'tests'} on ${engine}`, command, {
    PARLEY_TEST_ENGINE: engine,
    PARLEY_TEST_FOLDER: folder,
    PARLEY_TEST_TEMPLATES: templatesFile(engine),
    // Half of the random cases, most of which differ from run to run. The second tier has all, as has a test by itself.
    ...(isAll && tier === 'first' && { PARLEY_PROPERTY_FACTOR: process.env.PARLEY_PROPERTY_FACTOR ?? '0.5' }),
    ...postgres,
  })
  rmSync(folder, { recursive: true, force: true })
  outputs.push(output.replace(/^test\/.*\.test\.ts:$/gm, `$& ${engine}`))
  // The last match is the summary; tests may print similar lines before it.
  const count = (word: string) =>
    Number([...output.matchAll(new RegExp(`^\\s*(\\d+) ${word}$`, 'gm'))].at(-1)?.[1] ?? 0)
  const isComplete = isDone && /^Ran \d+ tests? across/m.test(output)
  totals.passed += count('pass')
  // A file that does not load, or a run that stops early, counts as a failure.
  totals.failed += count('fail') || (isComplete ? 0 : 1)
}

const templatesFile = (engine: Engine) => join(templatesFolder, `${engine}.json`)

/** The databases that the tests start from. */
async function createTemplates(engine: Engine, postgres: Record<string, string>) {
  const { isDone } = await step(
    `databases on ${engine}`,
    [process.execPath, 'test/templates.ts', templatesFile(engine)],
    {
      PARLEY_TEST_ENGINE: engine,
      PARLEY_TEST_FOLDER: templatesFolder,
      ...postgres,
    },
  )
  if (!isDone) totals.failed += 1
}

/** Runs jobs in their order, some of them at a time. */
async function runJobs(jobs: (() => Promise<void>)[], atOnce: number) {
  const waiting = [...jobs]
  const work = async () => {
    for (let job = waiting.shift(); job; job = waiting.shift()) await job()
  }
  await Promise.all(Array.from({ length: atOnce }, work))
}

if (version && !postgresVersions.includes(version))
  throw new Error(`POSTGRES_VERSION is one of ${postgresVersions.join(', ')}.`)
// Before the tests, so that it does not count against the timeout of the first.
if (version) await ensurePostgresVersions()
if (files.some(isInBrowser)) ensureChromium()
if (files.some(needsPrograms)) ensurePrograms()
/** Meanwhile other tests run. If one fails, the tests that need it say so. */
const installations = [
  { isNeeded: needsS3, install: ensureS3 },
  { isNeeded: needsTools, install: ensureTools },
].map(({ isNeeded, install }) => ({ isNeeded, done: files.some(isNeeded) ? install().catch(() => {}) : undefined }))
/** Meanwhile the databases are made. */
const checking = isAll && !version ? runJobs(checks, 1) : undefined
// Tests start the program many times; from its bundle, that takes a fifth of the time.
const bundled = await step('bundle', [process.execPath, 'scripts/bundle.ts'])
if (!bundled.isDone) totals.failed += 1

/** There are hundreds of databases in the end, and a process would look at each of them every minute. Pages need not survive a power failure. */
const POSTGRES_SETTINGS = ['autovacuum_naptime=1h', 'full_page_writes=off', 'jit=off']
const postgres = files.some(dependsOnEngine)
  ? await startPostgres(
      POSTGRES_SETTINGS.flatMap((setting) => ['-c', setting]),
      undefined,
      mkdtempSync(join(postgresFolder, 'parley-postgres-')),
    )
  : undefined
try {
  const env: Record<string, string> = postgres ? { PARLEY_TEST_POSTGRES: postgres.url } : {}
  await Promise.all(
    batchByEngine(files)
      .filter(isOnEngine)
      .map(({ engine }) => createTemplates(engine, env)),
  )
  const toJobs = (batches: Batch[]) => batches.filter(isOnEngine).map((batch) => () => testBatch(batch, env))
  if (isAll) {
    const { parallel, exclusive } = planBatches(files, tier)
    await Promise.all([checking, runJobs(toJobs(parallel), PROCESSES)])
    await runJobs(toJobs(exclusive), 1)
    console.log(`\nThe slowest files:\n${slowestFiles(outputs)}`)
    if (totals.failed > 0) console.log(`\nFailed:\n${failedTests(outputs)}`)
  } else await runJobs(toJobs(batchByEngine(files)), 1)
} finally {
  await postgres?.destroy()
  rmSync(templatesFolder, { recursive: true, force: true })
}

if (files.length === 0) {
  console.error(`There is no test file named like ${words.join(' or ')}.`)
  process.exitCode = 1
}
console.log(`\n${totals.passed} passed, ${totals.failed} failed`)
process.exit(totals.failed > 0 ? 1 : (process.exitCode ?? 0))
