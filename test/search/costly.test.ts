import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { sql } from 'kysely'
import type { Running } from '../../src/server'
import { OutOfTime } from '../../src/store/engines/engine'
import { searchIndexOf } from '../../src/store/engines/search'
import { isRunning } from '../command'
import { ownTime } from '../cpu-time'
import { waitUntil } from '../expectations'
import { engineUnderTest, startTestServer, statementsOf } from '../server'
import { type World, world } from '../world'

const SLOW_SELECT = `WITH RECURSIVE counted (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counted WHERE n < 1e11)
  SELECT count(*) FROM counted`

/** A value that takes minutes to find. */
const slow =
  engineUnderTest === 'sqlite' ? sql<number>`(${sql.raw(SLOW_SELECT)})` : sql<number>`(SELECT 1 FROM pg_sleep(600))`

/** Reads of the index take minutes, until it is repaired. */
async function slowDown({ parley: { engine } }: Pick<Running, 'parley'>): Promise<() => Promise<void>> {
  await engine.write(async (db) => {
    await sql`ALTER TABLE search_documents RENAME TO kept_documents`.execute(db)
    await sql`CREATE VIEW search_documents AS SELECT * FROM kept_documents WHERE ${slow} > 0`.execute(db)
  })
  return () =>
    engine.write(async (db) => {
      await sql`DROP VIEW search_documents`.execute(db)
      await sql`ALTER TABLE kept_documents RENAME TO search_documents`.execute(db)
    })
}

const BUDGET_MS = 400

async function slowWorld(searchBudget = BUDGET_MS) {
  const server = await startTestServer({}, { searchBudget })
  const cast = await world(server)
  await cast.ada.posts.create({ channel_id: cast.general.id, content_markdown: 'Lunch at noon' })
  return { ...cast, mend: await slowDown(server) }
}

const isFind = (statement: string) => /search_index MATCH|vector @@/.test(statement)

const search = ({ ada }: Pick<World, 'ada'>, q: string) => ada.search.list({ q })

describe('a search that takes too long', () => {
  test('is ended and says what would be cheaper, others are answered meanwhile, and the next search works', async () => {
    const cast = await slowWorld()
    const ending = search(cast, 'lunch').catch((error) => error)
    let answers = 0
    while ((await Promise.race([ending, cast.bob.me.get()])) instanceof Error === false) answers += 1
    expect(answers).toBeGreaterThan(1)
    expect(await ending).toMatchObject({
      code: 'search_too_expensive',
      status: 422,
      detail: expect.stringMatching(/stopped after 0.4 s.*more letters before a `\*`/),
      errors: [{ in: 'query', name: 'q' }],
    })
    await cast.mend()
    expect(await search(cast, 'lunch')).toMatchObject({ total_count: 1 })
  }, 300_000)

  test('runs once for each caller at a time, and callers take turns', async () => {
    const { ada, bob, ...cast } = await slowWorld()
    const order: string[] = []
    // Addresses differ, so that none is answered together with another.
    const run = (name: string, who: typeof ada) =>
      who.search.list({ q: `lunch -${name}` }).catch(({ code }) => void order.push(`${name} ${code}`))
    await Promise.all([run('ada1', ada), run('ada2', ada), run('ada3', ada), run('bob1', bob)])
    expect(order.toSorted()).toEqual(['ada1', 'ada2', 'ada3', 'bob1'].map((name) => `${name} search_too_expensive`))
    expect(order.indexOf('bob1 search_too_expensive')).toBeLessThan(order.indexOf('ada3 search_too_expensive'))
    await cast.mend()
  }, 300_000)

  test('that waited for its turn finds nothing if its token was revoked meanwhile', async () => {
    // Long enough to revoke the token meanwhile.
    const cast = await slowWorld(4_000)
    const { ada } = cast
    const { id, token } = await ada.tokens.createMine({ name: 'Second', scopes: ['read'] })
    const first = search(cast, 'lunch').catch((error) => error)
    while (!statementsOf(cast.server).some(isFind)) await Bun.sleep(1)
    const second = cast.raw({ token } as World['ada'], '/v2/search?q=lunch')
    await Bun.sleep(20)
    await ada.tokens.delete({ id })
    expect(await first).toMatchObject({ code: 'search_too_expensive' })
    expect((await second).status).toBe(401)
    await cast.mend()
  }, 300_000)

  test('leaves no process and no lock behind', async () => {
    const { parley } = await startTestServer()
    const { engine } = parley
    const started = performance.now()
    await expect(
      engine.readWithin(100, async (db) => db.selectNoFrom(slow.as('slow')).execute()),
    ).rejects.toBeInstanceOf(OutOfTime)
    expect(performance.now() - started).toBeLessThan(20_000)
    expect(await engine.readWithin(60_000, (db) => db.selectFrom('search_state').selectAll().execute())).toHaveLength(1)
    await engine.write((db) => db.updateTable('search_state').set({ remaining: 0 }).execute())
    if (engine.kind !== 'sqlite') return
    // A reader that was still there would keep it from writing all of the log into the file. Jobs do so for a moment.
    using database = new Database(engine.location)
    await waitUntil(() => {
      const { log, checkpointed } = database.query<Record<string, number>, []>('PRAGMA wal_checkpoint').get()!
      return checkpointed === log
    })
  }, 300_000)
})

/** Each prefix of the queries below stands for a dozen words, each of which is in every other text. */
const COMMON = ['then', 'them', 'they', 'the', 'to', 'and'].concat(
  ['th', 'is', 'it', 'an'].flatMap((prefix) => Array.from({ length: 12 }, (_, at) => `${prefix}${at}`)),
)
const DOCUMENTS = 8_000
const BATCH = 2_000

/** Texts in the index alone, as many as people write in years. */
async function addDocuments({ server, workspaceKey }: World, channelKey: number) {
  const { engine } = server.parley
  const words = (at: number) => Array.from({ length: 30 }, (_, place) => COMMON[(at * 7 + place) % COMMON.length]!)
  for (let from = 0; from < DOCUMENTS; from += BATCH)
    await engine.write((db) =>
      searchIndexOf(db).add(
        db,
        Array.from({ length: BATCH }, (_, at) => ({
          document: {
            workspace_key: workspaceKey,
            ...{ type: 1, record_key: 1_000_000 + from + at, place_key: channelKey, post_key: 1_000_000 + from + at },
            ...{ created_at: from + at, title_signature: 0 },
          },
          ...{ title: [], content: [...words(from + at), `rare${from + at}`], scope: ['Kpost'] },
        })),
      ),
    )
}

const HOSTILE = [
  ...[
    'then them they -th* -is* -it* -an*',
    'the -th*',
    'zzz then -th* -is* -it* -an*',
    'th* is* it* an*',
    'tehn -thsi',
  ],
  ...['then -"the is" -"it an" -"to and" -"they its" -issue', '"the the the"', '-th* -is*', 'rare*', 'ra* -rar* the'],
  ...['the/t* is/i* it/a* an/t*', 'the/t* -is/i* -it/a* -an/t*', 'title:the/t*'],
]

test('nobody waits while others search for what is hard to find', async () => {
  const server = await startTestServer()
  const cast = await world(server)
  const { ada, gus, general } = cast
  await server.parley.engine.read(async (db) => {
    const { key } = await db.selectFrom('channels').where('id', '=', general.id).select('key').executeTakeFirstOrThrow()
    await addDocuments(cast, key)
  })
  // Full stops make each query another one, so that none is answered from a cache.
  let stops = ''
  const longest = async () => {
    stops += ' .'
    let isDone = false
    const searching = Promise.all([ada, gus, ada, gus].map((who) => inTurn(who))).finally(() => (isDone = true))
    let max = 0
    while (!isDone) {
      const started = ownTime()
      await cast.bob.me.get()
      max = Math.max(max, ownTime() - started)
    }
    await searching
    return max
  }
  const inTurn = async (who: World['ada']) => {
    for (const q of HOSTILE) await who.search.list({ q: q + stops }).catch(requireTooExpensive)
  }
  const maxima = [await longest()]
  while (maxima.length < 10 && Math.min(...maxima) > 100) maxima.push(await longest())
  expect(Math.min(...maxima)).toBeLessThan(100)
}, 300_000)

function requireTooExpensive(error: { code: string }) {
  if (error.code !== 'search_too_expensive') throw error
}

describe('the work of a search is bounded', () => {
  const isExpansion = (statement: string) => statement.includes('search_words')

  async function statementsFor(q: string): Promise<string[]> {
    const cast = await world()
    const { ada, general, server } = cast
    await ada.posts.create({
      channel_id: general.id,
      content_markdown: 'then them they this is it and that is an issue',
    })
    const statements = statementsOf(server)
    statements.length = 0
    await ada.search.list({ q })
    return [...statements]
  }

  test('what excludes itself is not looked for', async () => {
    for (const q of ['then -th*', 'th* -th*', '"then them" -then', 'they -"they"', '"is it an" -"it an"'])
      expect((await statementsFor(q)).filter(isFind)).toEqual([])
  })

  test('nothing is suggested where something is excluded', async () => {
    expect((await statementsFor('tehn htem theyx -dog -ca*')).filter(isFind)).toHaveLength(1)
  })

  test('each prefix is looked up once, however many statements follow', async () => {
    const statements = await statementsFor('isuse th* an* nothing -ot*')
    expect(statements.filter(isExpansion)).toHaveLength(engineUnderTest === 'sqlite' ? 3 : 0)
    expect((await statementsFor('isuse th* an*')).filter(isExpansion)).toHaveLength(
      engineUnderTest === 'sqlite' ? 2 : 0,
    )
  })
})

const hasProcesses = engineUnderTest === 'sqlite' && existsSync('/proc/self/task')

test.if(hasProcesses)('a process that is killed fails at most the searches it has, and is replaced', async () => {
  const { engine } = (await startTestServer()).parley
  const readState = () => engine.readWithin(60_000, (db) => db.selectFrom('search_state').selectAll().execute())
  expect(await readState()).toHaveLength(1)
  const running = engine.readWithin(60_000, (db) => db.selectNoFrom(slow.as('slow')).execute())
  running.catch(() => {})
  for (const pid of searchProcesses()) process.kill(pid, 'SIGKILL')
  await expect(running).rejects.toMatchObject({ code: 'unavailable' })
  expect(await readState()).toHaveLength(1)
})

test.if(hasProcesses)(
  'a process ends in the middle of a search if the server is killed',
  async () => {
    const { engine } = (await startTestServer()).parley
    const program = `import { openSqlite } from './src/store/engines/sqlite/open'
    const { readWithin } = openSqlite(${JSON.stringify(engine.location)})
    await readWithin(60_000, async (db) => {
      const slow = db.wire.execute(${JSON.stringify(SLOW_SELECT)}, [])
      console.log('searching')
      await slow
    })`
    const server = Bun.spawn([process.execPath, '-e', program], { cwd: `${import.meta.dir}/../..`, stdout: 'pipe' })
    await server.stdout.getReader().read()
    const [pid] = searchProcesses(server.pid)
    // It has begun with the statement: nothing else takes processor time.
    const ticks = () => Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')[11])
    for (const before = ticks(); ticks() < before + 10; ) await Bun.sleep(10)
    server.kill('SIGKILL')
    await server.exited
    for (const end = performance.now() + 20_000; isRunning(pid!) && performance.now() < end; ) await Bun.sleep(20)
    const isLeft = isRunning(pid!)
    if (isLeft) process.kill(pid!, 'SIGKILL')
    expect(isLeft).toBe(false)
  },
  300_000,
)

function searchProcesses(of: number | 'self' = 'self'): number[] {
  const read = (path: string) => readFileSync(`/proc/${path}`, 'utf8')
  const tasks = readdirSync(`/proc/${of}/task`)
  const children = tasks.flatMap((task) => read(`${of}/task/${task}/children`).split(' ').filter(Boolean).map(Number))
  return children.filter((pid) => read(`${pid}/cmdline`).includes('sqlite-process.ts'))
}
