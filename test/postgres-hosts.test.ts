import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import type { Reader } from '../src/store/engines/db'
import type { Engine } from '../src/store/engines/engine'
import { openEngine, openEngineForCommand } from '../src/store/open'
import { createClient } from './client'
import { parley } from './command'
import { openLossyLink } from './lossy-proxy'
import { freePort, type Postgres } from './postgres'
import { addStandby, runSql, startPair, waitForStandby } from './replication'
import { engineUnderTest } from './server'
import { startChild, waitUntil } from './torture/child'
import { expectNothingLost } from './torture/load'
import { hasOpenssl, selfSigned } from './webhooks/receivers'

setDefaultTimeout(600_000)

const WRITERS = 4
const endings: (() => unknown)[] = []
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end()
})

/** The pair; the roles change during the tests. */
let primary: Postgres
let standby: Postgres

const urlOf = (...ports: number[]) =>
  `postgres://postgres:postgres@${ports.map((port) => `127.0.0.1:${port}`).join()}/postgres`
/** The standby first, so that it has to be passed over. */
const bothHosts = () => urlOf(standby.port, primary.port)

const countConnections = async ({ url }: Postgres) =>
  Number((await runSql(url, "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'parley'"))[0].count)

/** From now on the standby is the primary. */
async function promoteStandby() {
  await waitForStandby(standby, false)
  await runSql(standby.url, 'SELECT pg_promote()')
  ;[primary, standby] = [standby, primary]
}

async function linkTo({ port }: Postgres) {
  const link = await openLossyLink(port)
  endings.push(link[Symbol.asyncDispose])
  return link
}

/** Writes posts, each until it is acknowledged, with the same key. */
function writePosts(client: ReturnType<typeof createClient>, channel_id: string) {
  const acknowledged = new Map<string, string>()
  let isOver = false
  const write = async (name: string) => {
    for (;;) {
      const post = await client.posts
        .create({ channel_id, content_markdown: name }, { idempotencyKey: name.replaceAll(' ', '-') })
        .catch((error) => {
          if (error.status !== 503 && error.code !== 'idempotency_in_progress') throw error
        })
      if (post) return void acknowledged.set(name, post.id)
      await Bun.sleep(20)
    }
  }
  const work = async (writer: number) => {
    for (let at = 0; !isOver; at++) await write(`Post ${at} of writer ${writer}`)
  }
  const writers = Promise.all(Array.from({ length: WRITERS }, (_, writer) => work(writer)))
  return {
    acknowledged,
    /** Waits until each writer has got on. */
    moreWrites: () => {
      const wanted = acknowledged.size + 5 * WRITERS
      return waitUntil(() => acknowledged.size >= wanted)
    },
    async stop() {
      isOver = true
      await writers
    },
  }
}

function open(url: string) {
  const hosts: string[] = []
  const engine = openEngine(url, { poolSize: 3, onHost: (host) => void hosts.push(host) })
  endings.push(() => engine.close())
  return { engine, hosts }
}

const insert = (name: string) => (db: Reader) => sql`INSERT INTO notes VALUES (${name})`.execute(db as never)
/** Tries again as long as nothing is written. */
async function writeUntilDone(engine: Engine, name: string): Promise<void> {
  try {
    await engine.write(insert(name))
  } catch (error) {
    expect(error).toMatchObject({ code: 'unavailable', detail: expect.stringContaining('Nothing was changed') })
    await Bun.sleep(20)
    return writeUntilDone(engine, name)
  }
}

const serverPort = async (db: Reader) =>
  (await sql<{ port: number }>`SELECT inet_server_port() AS port`.execute(db as never)).rows[0]!.port

if (engineUnderTest === 'postgres') {
  beforeAll(async () => {
    ;({ primary, standby } = await startPair())
    await runSql(primary.url, 'CREATE TABLE notes (name text)')
  })
  afterAll(() => Promise.all([primary?.destroy(), standby?.destroy()]))

  test('every command uses the primary, wherever it is in the list', async () => {
    const env = { DATABASE_URL: bothHosts() }
    expect(await parley(['migrate'], env)).toMatchObject({ code: 0, stderr: '' })
    await parley(['workspace', 'create', '--name', 'Home', '--slug', 'home'], env)
    const { stdout } = await parley(['doctor'], env)
    expect(stdout).toContain(`✓ database: postgres ${bothHosts().replace(':postgres@', ':***@')} responds`)
    expect(stdout).toContain('✓ writing')
    const folder = mkdtempSync(join(tmpdir(), 'parley-hosts-'))
    endings.push(() => rmSync(folder, { recursive: true }))
    const file = join(folder, 'backup')
    expect(await parley(['backup', file], env)).toMatchObject({ code: 0 })
    expect(existsSync(file)).toBe(true)
    const restored = await parley(['restore', file, '--force'], { ...env, FILES_URL: join(folder, 'files') })
    expect(restored).toMatchObject({ code: 0 })
  })

  describe('if no host can be used, the error says why of each, without the password:', () => {
    const run = (DATABASE_URL: string) => parley(['workspace', 'list'], { DATABASE_URL })

    test('a standby, and one that does not answer', async () => {
      const nobody = await freePort()
      const { code, stderr } = await run(urlOf(standby.port, nobody))
      expect(code).toBe(1)
      expect(stderr).toContain(`127.0.0.1:${standby.port} is a standby`)
      expect(stderr).toMatch(new RegExp(`127.0.0.1:${nobody} does not answer \\(\\w+\\)`))
      expect(stderr).not.toContain(':postgres@')
    })

    test('a wrong password, a database that does not exist', async () => {
      const wrong = bothHosts().replace(':postgres@', ':hunter2@')
      const { stderr } = await run(wrong)
      expect(stderr.match(/the password is wrong/g)).toHaveLength(2)
      expect(stderr).not.toContain('hunter2')
      expect((await run(bothHosts().replace(/postgres$/, 'nothing'))).stderr).toContain('there is no such database')
    })

    test('the only host is a standby', async () => {
      for (const options of ['', '?target_session_attrs=read-write', '?target_session_attrs=primary']) {
        const { code, stderr } = await run(standby.url + options)
        expect(code).toBe(1)
        expect(stderr).toContain('is a standby')
      }
    })
  })

  test.if(hasOpenssl)('with sslmode=verify-full, each host has to have a certificate for its own name', async () => {
    const { key, cert } = await selfSigned('DNS:localhost')
    const certFile = join(primary.data, 'server.crt')
    primary.writeFile('server.key', key)
    primary.writeFile('server.crt', cert)
    await runSql(primary.url, 'ALTER SYSTEM SET ssl = on')
    await runSql(primary.url, 'SELECT pg_reload_conf()')
    await waitUntil(async () => (await runSql(primary.url, 'SHOW ssl'))[0].ssl === 'on')
    const options = `sslmode=verify-full&sslrootcert=${encodeURIComponent(certFile)}`
    const byName = urlOf(primary.port, primary.port).replace(',127.0.0.1', ',localhost')
    const { engine, hosts } = open(`${byName}?${options}`)
    const { rows } = await engine.read((db) =>
      sql<{ ssl: boolean }>`SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()`.execute(db as never),
    )
    expect(rows).toEqual([{ ssl: true }])
    expect(hosts).toEqual([`localhost:${primary.port}`])
  })

  test('with target_session_attrs=any the first host that answers is used', async () => {
    const { engine } = open(`${urlOf(await freePort(), standby.port, primary.port)}?target_session_attrs=any`)
    expect(await engine.read(serverPort)).toBe(standby.port)
    await expect(engine.write(insert('refused'))).rejects.toMatchObject({
      code: 'unavailable',
      detail: expect.stringContaining('takes no writes'),
    })
    expect(await engine.read(serverPort)).toBe(standby.port)
  })

  test('hosts that accept connections and do not reply are passed over, however many', async () => {
    const link = await linkTo(primary)
    link.lose('requests', 'replies')
    const engine = openEngineForCommand(urlOf(link.port, link.port, primary.port))
    endings.push(() => engine.close())
    await engine.ping()
    expect(await engine.migrate(serverPort)).toBe(primary.port)
    const before = link.opened()
    // The next connection begins with the host that worked last.
    await Promise.all([engine.readSnapshot(serverPort), engine.readSnapshot(serverPort)])
    expect(link.opened()).toBe(before)
  })

  test('while no host is the primary, they are not asked for each request', async () => {
    const link = await linkTo(standby)
    const { engine } = open(urlOf(link.port, await freePort()))
    const started = performance.now()
    for (let at = 0; at < 200; at++)
      await expect(engine.write(insert('nowhere'))).rejects.toMatchObject({ code: 'unavailable' })
    expect(link.opened()).toBeLessThan((performance.now() - started) / 100 + 2)
  })

  test('a failover and one back, under load: every write is there, none twice, and the standby gets none', async () => {
    const links = new Map([
      [primary, await linkTo(primary)],
      [standby, await linkTo(standby)],
    ])
    const child = await startChild(urlOf(links.get(standby)!.port, links.get(primary)!.port))
    endings.push(child.kill)
    await waitUntil(child.isReady)
    const env = { DATABASE_URL: bothHosts() }
    const { stdout } = await parley(
      ['token', 'create', '--app', 'Load', '--workspace', 'home', '--scopes', 'read,write,admin'],
      env,
    )
    const client = createClient({ baseUrl: child.url, token: stdout.match(/parley_[\w-]+/)![0] })
    const channel = await client.channels.create({ name: 'Load' })
    const load = writePosts(client, channel.id)
    await load.moreWrites()

    // PostgreSQL ends all connections. The old primary comes back as the standby of the new one.
    await primary.stop()
    await promoteStandby()
    await load.moreWrites()
    await standby.startAsStandbyOf(primary)
    await waitForStandby(primary)
    await load.moreWrites()
    await waitUntil(async () => (await countConnections(standby)) === 0)

    // It is gone, and nobody is told.
    links.get(primary)!.forgetConnections()
    await primary.stop('SIGKILL')
    await promoteStandby()
    await load.moreWrites()
    await load.stop()
    await child.stop()

    await expectNothingLost(primary.url, [...load.acknowledged.values()])
    const posts = await runSql(primary.url, "SELECT markdown AS name FROM posts WHERE markdown LIKE 'Post %'")
    expect(posts.map(({ name }) => name).sort()).toEqual([...load.acknowledged.keys()].sort())
    expect(child.output.errors).not.toMatch(/Unexpected error|this is a bug/)
    const [now, before] = [primary, standby].map((server) => `127.0.0.1:${links.get(server)!.port}`)
    // What it wrote last may be read after its exit.
    await waitUntil(() => child.output.errors.includes(`The database is at ${now} now, no longer at ${before}`))
  })

  test('a server that takes no more writes is left, although its connections still work', async () => {
    await standby.destroy()
    standby = await addStandby(primary)
    const [{ engine, hosts }, other] = [open(bothHosts()), open(bothHosts())]
    const heard: number[] = []
    // Without keys, it is only the check every 750 ms.
    endings.push(engine.watch((keys) => void heard.push(...(keys ?? []))))
    const hears = (key: number) =>
      waitUntil(async () => {
        other.engine.notify(key)
        await Bun.sleep(20)
        return heard.includes(key)
      })
    await Promise.all([1, 2, 3].map(() => engine.write(insert('before'))))
    await hears(1)

    await waitForStandby(primary, false)
    await runSql(primary.url, 'ALTER SYSTEM SET default_transaction_read_only = on')
    await runSql(primary.url, 'SELECT pg_reload_conf()')
    await waitUntil(
      async () => (await runSql(primary.url, 'SHOW transaction_read_only'))[0].transaction_read_only === 'on',
    )
    await promoteStandby()
    await Promise.all([engine, other.engine].map((each) => writeUntilDone(each, 'after')))
    expect(await engine.read(serverPort)).toBe(primary.port)
    await hears(2)
    await waitUntil(async () => (await countConnections(standby)) === 0)
    const notes = await runSql(primary.url, "SELECT count(*)::int FROM notes WHERE name = 'after'")
    expect(notes).toEqual([{ count: 2 }])
    expect(hosts).toEqual([standby, primary].map(({ port }) => `127.0.0.1:${port}`))
  })
} else {
  test('SQLite has no hosts', () => expect(engineUnderTest).toBe('sqlite'))
}
