import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import pg from 'pg'
import { type Config, readConfig } from '../src/config'
import { openLog } from '../src/log'
import { type Running, type ServerOptions, startServer } from '../src/server'
import { openEngine } from '../src/store/open'
import { migrate } from '../src/store/schema/migrations'
import type { CreatedWorld } from './world'

/** `npm test` runs the suite once on each engine. */
export const engineUnderTest = process.env.PARLEY_TEST_ENGINE === 'postgres' ? 'postgres' : 'sqlite'

/** The clock of every server under test. */
export const time = {
  offset: 0,
  frozenAt: undefined as number | undefined,
  now: () => time.frozenAt ?? Date.now() + time.offset,
  advance(milliseconds: number) {
    if (time.frozenAt === undefined) time.offset += milliseconds
    else time.frozenAt += milliseconds
  },
  freeze() {
    time.frozenAt = time.now()
  },
  unfreeze() {
    time.frozenAt = undefined
  },
}

/** Unexpected errors logged by servers under test. `preload.ts` checks it after every test. */
export const bugs: string[] = []

const statementLogs = new WeakMap<Running['parley'], string[]>()

/** The latest statements of a server under test, without the statements of its jobs. Empty the list before the call in question. */
export const statementsOf = ({ parley }: Pick<Running, 'parley'>): string[] => statementLogs.get(parley)!

/** A database that belongs to one test. */
interface TestDatabase {
  url: string
  drop(): Promise<void>
}

/** A new, empty database of the engine under test. */
export async function newDatabase(admin = process.env.PARLEY_TEST_POSTGRES!): Promise<TestDatabase> {
  if (engineUnderTest === 'postgres') return createDatabase(admin, newDatabaseName())
  const folder = mkdtempSync(join(process.env.PARLEY_TEST_FOLDER ?? tmpdir(), 'parley-test-'))
  return { url: `sqlite:${join(folder, 'parley.db')}`, drop: async () => rmSync(folder, { recursive: true }) }
}

/** Databases that tests start from, made once for all processes by `templates.ts`. */
export interface Templates {
  /** One with all tables, and nothing in them. */
  empty: string
  /** One with worlds, for servers that tests share. */
  worlds: { database: string; worlds: CreatedWorld[] }
}

const templates: Templates | undefined =
  process.env.PARLEY_TEST_TEMPLATES && JSON.parse(readFileSync(process.env.PARLEY_TEST_TEMPLATES, 'utf8'))

/** A new database with all tables: a copy, which takes a fifth of the time of all migrations. */
export async function newMigratedDatabase(): Promise<TestDatabase> {
  if (templates) return copyDatabase(templates.empty)
  if (engineUnderTest === 'postgres') return newDatabase()
  migratedOnce ??= createMigratedDatabase()
  return copyDatabase(await migratedOnce)
}

let migratedOnce: Promise<string> | undefined

/** The URL of a new database with all tables. */
export async function createMigratedDatabase(): Promise<string> {
  const { url } = await newDatabase()
  const engine = openEngine(url)
  await migrate(engine, Date.now())
  await engine.close()
  return url
}

async function copyDatabase(from: string): Promise<TestDatabase> {
  if (engineUnderTest === 'sqlite') {
    const database = await newDatabase()
    copyFileSync(fileOf({ url: from }), fileOf(database))
    return database
  }
  const name = new URL(from).pathname.slice(1)
  return createDatabase(process.env.PARLEY_TEST_POSTGRES!, newDatabaseName(), `TEMPLATE ${name}`)
}

const fileOf = ({ url }: Pick<TestDatabase, 'url'>) => url.slice('sqlite:'.length)

const newDatabaseName = () => `parley_${crypto.randomUUID().replaceAll('-', '')}`

async function createDatabase(admin: string, name: string, options = ''): Promise<TestDatabase> {
  await runOnServer(admin, `CREATE DATABASE ${name} ${options}`)
  const url = new URL(admin)
  url.pathname = `/${name}`
  // To drop a database takes three times as long as to create it, and `run.ts` removes the whole server in the end.
  const drop = async () => {
    if (!templates) await runOnServer(admin, `DROP DATABASE ${name} WITH (FORCE)`)
  }
  return { url: url.toString(), drop }
}

async function runOnServer(admin: string, sql: string) {
  const client = new pg.Client({ connectionString: admin })
  await client.connect()
  await client.query(sql)
  await client.end()
}

/** A folder for the files of a database: beside it, or with its name. */
export const filesUrlOf = (databaseUrl: string): string =>
  databaseUrl.startsWith('sqlite:')
    ? `file:${join(dirname(fileOf({ url: databaseUrl })), 'files')}`
    : `file:${join(process.env.PARLEY_TEST_FOLDER ?? tmpdir(), `parley-files-${databaseUrl.match(/[^/?]+(?=\?|$)/)![0]}`)}`

/** Which servers run, and whose they are. `preload.ts` stops servers that their tests have left running. */
const servers = new Set<{ stop(): Promise<void>; file: string; isOfTest: boolean }>()
let isInTest = false

let currentFile = ''

/** Each file begins with the real time: at its first server or its first test. */
function beginFile() {
  if (currentFile === Bun.main) return
  currentFile = Bun.main
  time.offset = 0
  time.unfreeze()
}

/** Stops what other files have left running: an idle server costs CPU time, too. */
export async function startTest() {
  isInTest = true
  beginFile()
  await stopServers(({ file }) => file !== Bun.main)
}

/** Stops the servers that were started by this test, not the servers of its file. */
export async function endTest() {
  isInTest = false
  await stopServers(({ isOfTest }) => isOfTest)
}

async function stopServers(isLeftOver: (server: { file: string; isOfTest: boolean }) => boolean) {
  await Promise.all([...servers].filter(isLeftOver).map((server) => server.stop()))
}

/** Stops it once, however often it is told to. */
function keepTrackOf(running: Running, isOfTest: boolean): Running {
  let stopped: Promise<void> | undefined
  const stop = () => {
    servers.delete(server)
    stopped ??= running.stop()
    return stopped
  }
  const server = { stop, file: Bun.main, isOfTest }
  servers.add(server)
  return { ...running, stop }
}

interface TestServerOptions extends ServerOptions {
  /** Sees the statements of jobs as well, which `onStatement` does not. */
  onAnyStatement?: ServerOptions['onStatement']
  /** Sees the steps of transactions, such as COMMIT, before they are sent; `onStatement` does not. */
  onStep?: (step: string) => void
}

/**
 * Starts a separate server, for tests that need other settings than the shared one. One that is started in a test is stopped
 * after it, any other after its file.
 */
export async function startTestServer(
  env: Record<string, string> = {},
  options: TestServerOptions = {},
): Promise<Running & { config: Config }> {
  const { config, running } = await start(env, options)
  return { ...keepTrackOf(running, isInTest), config }
}

async function start(
  env: Record<string, string>,
  options: TestServerOptions = {},
): Promise<{ config: Config; running: Running }> {
  beginFile()
  const database = env.DATABASE_URL ?? (await newMigratedDatabase()).url
  const config = readConfig({
    PORT: '0',
    HOST: '127.0.0.1',
    RATE_LIMIT: '0',
    STREAM_LIMIT: '0',
    ANONYMOUS_RATE_LIMIT: '0',
    LOG_LEVEL: 'warn',
    SECRET_KEY: 'a key of the test servers, of no use elsewhere',
    WEBHOOK_NETWORKS: '127.0.0.0/8',
    // A pool opens all its connections at once, and there are many test servers.
    DATABASE_POOL: '4',
    FILES_URL: filesUrlOf(database),
    ...env,
    DATABASE_URL: database,
  })
  const log = openLog({
    level: 'warn',
    format: 'json',
    write: (lines) => void bugs.push(...lines.split('\n').filter((line) => line.includes('"Unexpected error"'))),
  })
  const statements: string[] = []
  const running = startServer(config, {
    clock: time.now,
    checkAnswers: true,
    log,
    // Tests send many requests at once, on machines that may be slow.
    requestQueue: { maxLength: 10_000, maxWaitMs: 60_000, maxStandingMs: 60_000 },
    deadlines: patient,
    searchBudget: 60_000,
    ...options,
    onStatement(sql, values) {
      if (STEP.test(sql)) options.onStep?.(sql)
      options.onAnyStatement?.(sql, values)
      if (isInBackground(sql)) return
      statements.push(sql)
      if (statements.length > 1000) statements.splice(0, 500)
      options.onStatement?.(sql, values)
    },
  })
  statementLogs.set(running.parley, statements)
  await running.ready
  return { config, running }
}

const patient = { connectMs: 30_000, beginMs: 60_000, checkMs: 30_000, statementMs: 60_000, lockMs: 60_000 }

/** The steps of a transaction, which may be one of a job. */
const STEP = /^(BEGIN|COMMIT|ROLLBACK|SAVEPOINT|RELEASE)\b/
/** Statements of the jobs: webhooks, inboxes, mails and pushes, reminders, and the search index. */
const OF_JOBS =
  /\b(webhooks|deliveries|delivery_attempts|inbox_positions|search_state|mails|notification_state|push_subscriptions|total_changes|gin_clean_pending_list)\b|INTO search_index \(search_index|"remind_at" <=|"relisting_at" is not null|WHERE relisting_at IS NOT NULL/

const isInBackground = (sql: string) => STEP.test(sql) || OF_JOBS.test(sql)

let shared: { file: string; server: Promise<Running> } | undefined

/** Settings of a mail server where nothing listens. */
export const deadMailServer = { SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'parley@example.com' }

/**
 * The server that the tests of a file share, each with its own workspaces. It can queue mails, and sends none. A file does not
 * wait for what another has left to do.
 */
export const sharedServer = (): Promise<Running> => {
  if (shared?.file !== Bun.main) shared = { file: Bun.main, server: startShared() }
  return shared.server
}

async function startShared(): Promise<Running> {
  preparedWorlds = [...(templates?.worlds.worlds ?? [])]
  const copy: Partial<TestDatabase> = templates ? await copyDatabase(templates.worlds.database) : {}
  return startWithoutMails({ ...deadMailServer, ...(copy.url && { DATABASE_URL: copy.url }) })
}

async function startWithoutMails(env: Record<string, string>): Promise<Running> {
  const { running } = await start(env)
  await running.notifications()!.close()
  return keepTrackOf(running, false)
}

let preparedWorlds: CreatedWorld[] = []

/** A world that is in the database of the shared server and that no test has used. */
export const takePreparedWorld = (): CreatedWorld | undefined => preparedWorlds.shift()
