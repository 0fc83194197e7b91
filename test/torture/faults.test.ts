import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readConfig } from '../../src/config'
import type { OperationName } from '../../src/contract'
import { openLog } from '../../src/log'
import { type Running, startServer } from '../../src/server'
import type { Db } from '../../src/store/engines/db'
import { ApiError, type Client } from '../client'
import { expectConsistent } from '../consistency'
import { callOperation, entryOf, writeNames } from '../operations'
import { castOf } from '../operations/cast'
import { bugs, deadMailServer, newDatabase } from '../server'
import { type World, world } from '../world'
import { reportFigure } from './report'

const MAX_STATEMENTS = 80
/** Operations with POST that change nothing. */
const readOnly: readonly OperationName[] = ['markdown.render']

/** Throws at the n-th statement from now on, once. */
const fault = { in: Number.POSITIVE_INFINITY, error: () => new Error('Broken on purpose'), hits: 0 }

function onStatement() {
  fault.in -= 1
  if (fault.in !== 0) return
  fault.hits += 1
  throw fault.error()
}

/** An I/O error on SQLite, a closed connection on PostgreSQL. */
const lostConnection = () =>
  Object.assign(new Error('lost'), {
    code: server.parley.engine.kind === 'sqlite' ? 'SQLITE_IOERR' : 'ERR_POSTGRES_CONNECTION_CLOSED',
  })

let server: Running
let database: Awaited<ReturnType<typeof newDatabase>>
beforeAll(async () => {
  database = await newDatabase()
  const settings = {
    PORT: '0',
    HOST: '127.0.0.1',
    RATE_LIMIT: '0',
    ANONYMOUS_RATE_LIMIT: '0',
    SECRET_KEY: 'a key that is of no use elsewhere',
  }
  const write = (lines: string) =>
    void bugs.push(...lines.split('\n').filter((line) => line.includes('"Unexpected error"')))
  const log = openLog({ level: 'warn', format: 'json', write })
  const config = readConfig({
    ...settings,
    ...deadMailServer,
    WEBHOOK_NETWORKS: '127.0.0.0/8',
    DATABASE_URL: database.url,
  })
  server = startServer(config, { log, checkAnswers: true, onStatement })
  await server.ready
  // No statements in the background.
  await server.dispatcher()!.close()
  await server.notifications()!.close()
  await server.searchIndexing()!.close()
})
afterAll(async () => {
  reportFigure({
    question: 'Whichever statement of whichever write fails?',
    goal: 'all or nothing, a clean error, and the next one works',
    figure: `${figures.faults} faults in ${figures.operations} runs over ${writeNames.length} operations`,
    isMet: figures.operations === writeNames.length + samples.length,
  })
  await server.stop()
  await database.drop()
})

/** PARLEY_TORTURE=long: all of them. */
const samples: readonly OperationName[] =
  process.env.PARLEY_TORTURE === 'long'
    ? writeNames
    : ['posts.create', 'comments.create', 'posts.resolve', 'channels.update', 'members.create', 'me.setAvatar']
const figures = { faults: 0, operations: 0 }

describe('if any statement fails, a write happens completely or not at all', () => {
  for (const name of writeNames)
    test(name, () => failEachStatement(name, () => new Error('Broken on purpose'), 500), 300_000)
})

describe('if the database is lost at any statement, the answer is 503 and the next attempt succeeds', () => {
  for (const name of samples) test(name, () => failEachStatement(name, lostConnection, 503), 300_000)
})

test('counters are correct after all faults', () => expectConsistent(server))

/** Repeats a call with a fault at its first, second, third … statement until none is hit. Each one must change all or nothing. */
async function failEachStatement(name: OperationName, error: () => Error, status: number) {
  let call = await prepareCall(name)
  let at = 1
  for (; at < MAX_STATEMENTS; at++) {
    // Inboxes are filled in between, which is no part of the request.
    const { refused, wasHit, isChanged } = await server.inboxFiller()!.whilePaused(async () => {
      const before = await readAllRows(call.world)
      Object.assign(fault, { in: at, error, hits: 0 })
      const refused = await attempt(name, call)
      const wasHit = fault.hits > 0
      fault.in = Number.POSITIVE_INFINITY
      await server.parley.presence.settled()
      return { refused, wasHit, isChanged: (await readAllRows(call.world)) !== before }
    })
    expect([at, isChanged]).toEqual([at, !refused && !readOnly.includes(name)])
    if (!wasHit) break

    figures.faults += 1
    expectClean(bugs.splice(0), refused, at, status)
    expect((await call.world.root.me.get()).role).toBe('admin')
    // The statement was not part of the request, which succeeded, so a new one is needed.
    if (!refused) call = await prepareCall(name)
  }
  expect(at).toBeWithin(4, MAX_STATEMENTS)
  figures.operations += 1
}

interface Call {
  world: World
  client: Client
  input: Record<string, unknown>
}

/** A workspace in which this operation succeeds with this input. */
async function prepareCall(name: OperationName): Promise<Call> {
  const cast = castOf(await world(server))
  const { input: createInput, token } = entryOf(name)
  const client = token ? cast.world.as(await token(cast)) : cast.author
  const { shows, last, ...input } = await createInput(cast)
  await server.parley.presence.settled()
  return { world: cast.world, client, input }
}

async function attempt(name: OperationName, { client, input }: Call): Promise<ApiError | undefined> {
  try {
    const output = await callOperation(client, name, input)
    entryOf(name).check?.(output, input)
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
}

function expectClean(logged: readonly string[], refused: ApiError | undefined, at: number, status: number) {
  if (!refused) return
  expect([at, refused.status]).toEqual([at, status])
  expect(refused.detail).not.toMatch(/on purpose|lost|select|update|insert/i)
  if (status === 503) expect([logged, refused.headers.get('retry-after')]).toEqual([[], expect.stringMatching(/^\d+$/)])
  else expect(logged).toHaveLength(1)
}

/** All rows of a workspace and of tables without workspaces, except last-seen times and sign-in attempts. */
function readAllRows({ workspaceKey }: World): Promise<string> {
  return server.parley.engine.read(async (db) => {
    const rowsOf = async (sql: string) => (await (db as Db).wire.execute(sql, [])).rows as Record<string, unknown>[]
    tables ??= (await rowsOf(tableLists[server.parley.engine.kind])) as unknown as Table[]
    const linesOf = async ({ name, is_scoped }: Table) => {
      const rows = await rowsOf(`SELECT * FROM ${name} ${is_scoped ? `WHERE workspace_key = ${workspaceKey}` : ''}`)
      return rows.map(({ last_seen_at, last_used_at, ...row }) => `${name} ${JSON.stringify(row)}`)
    }
    const lines = (await Promise.all(tables.map(linesOf))).flat()
    return lines.sort().join('\n')
  })
}

interface Table {
  name: string
  is_scoped: boolean | 0 | 1
}

let tables: Table[] | undefined

const tableLists = {
  sqlite: `SELECT name, EXISTS (SELECT 1 FROM pragma_table_info(m.name) c WHERE c.name = 'workspace_key') AS is_scoped
    FROM sqlite_master m WHERE type = 'table' AND sql NOT LIKE '%VIRTUAL%' AND name NOT LIKE '%search%'
    AND name <> 'sign_in_attempts'`,
  postgres: `SELECT tablename AS name, EXISTS (SELECT 1 FROM information_schema.columns c
      WHERE c.table_name = tablename AND c.column_name = 'workspace_key') AS is_scoped
    FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'sign_in_attempts'`,
}
