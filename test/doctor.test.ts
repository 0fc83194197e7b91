import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { resolve } from 'node:path'
import { openLog } from '../src/log'
import { openLossyLink } from './lossy-proxy'
import { type Postgres, startPostgres } from './postgres'
import { engineUnderTest, newDatabase, startTestServer } from './server'
import { waitUntil } from './torture/child'

// Commands are processes of their own.
setDefaultTimeout(300_000)

const program = resolve(import.meta.dir, '../src/start.ts')

async function doctor(env: Record<string, string>) {
  const child = Bun.spawn([process.execPath, program, 'doctor'], {
    env: { ...process.env, PUBLIC_URL: '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [text, errors] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  return { code: await child.exited, text, errors }
}

/** The PostgreSQL server of the tests is not durable. */
let postgres: Postgres | undefined
beforeAll(async () => {
  if (engineUnderTest === 'postgres') postgres = await startPostgres()
})
afterAll(() => postgres?.destroy())

/** A running server with its own database, for the doctor to check. */
async function patient() {
  const database = await newDatabase(postgres?.url)
  // The command uses the system clock, so this server must, too.
  const server = await startTestServer({ DATABASE_URL: database.url }, { clock: Date.now })
  const { engine } = server.parley
  return {
    engine,
    url: database.url,
    async [Symbol.asyncDispose]() {
      await server.stop()
      await database.drop()
    },
  }
}

describe('doctor', () => {
  test('finds nothing wrong with a new installation, while it runs', async () => {
    await using home = await patient()
    const { code, text, errors } = await doctor({ DATABASE_URL: home.url })
    expect(text).not.toContain('✗')
    expect(text).toContain('✓ schema: version')
    expect(text).toContain('✓ counters')
    expect(text).toContain('✓ durability')
    expect(text).toMatch(
      /✓ disk space: [\d.]+ \wB free on the disk of uploaded files; uploads leave [\d.]+ \wB of it free/,
    )
    expect(errors).toBe('')
    expect(code).toBe(0)
  })

  test('shows its progress in a terminal, and not in a pipe', async () => {
    await using home = await patient()
    const env = { ...process.env, PUBLIC_URL: '', DATABASE_URL: home.url } as Record<string, string>
    const output: Uint8Array[] = []
    const inTerminal = Bun.spawn([process.execPath, program, 'doctor'], {
      env,
      terminal: { cols: 200, rows: 50, data: (_, bytes) => void output.push(Uint8Array.from(bytes)) },
    })
    await inTerminal.exited
    // What it wrote last may be read after its exit.
    await waitUntil(() => Buffer.concat(output).includes('✓ search index: holds every record'))
    const shown = Buffer.concat(output).toString()
    expect(shown).toMatch(/█|░/)
    expect(shown).toMatch(/\d+ of \d+ checks of counters/)
    expect(shown).toMatch(/records compared with the search index/)
    const { text, errors } = await doctor(env)
    expect(errors).toBe('')
    expect(text).not.toMatch(/█|░|of counters|compared with/)
  })

  test('reports a wrong counter', async () => {
    await using home = await patient()
    const { id } = await home.engine.write(async (db) =>
      db.updateTable('channels').set({ posts_count: 99 }).returning('id').executeTakeFirstOrThrow(),
    )
    const { code, text } = await doctor({ DATABASE_URL: home.url })
    expect(text).toContain(`✗ counters: channels.posts_count of ${id} is 99, but there are 2.`)
    expect(code).toBe(1)
  })

  test('reports a missing event', async () => {
    await using home = await patient()
    await home.engine.write((db) => db.deleteFrom('events').where('revision', '=', 2).execute())
    const { code, text } = await doctor({ DATABASE_URL: home.url })
    expect(text).toContain('✗ event log: The workspace home is at revision')
    expect(text).toContain('✓ counters')
    expect(code).toBe(1)
  })

  test('reports a workspace without admins', async () => {
    await using home = await patient()
    await home.engine.write((db) => db.updateTable('members').set({ is_deactivated: true }).execute())
    expect((await doctor({ DATABASE_URL: home.url })).text).toContain('✗ admins: nobody can manage the workspace home')
  })

  test('mentions expired links, which are no problem', async () => {
    await using home = await patient()
    await home.engine.write((db) => db.updateTable('sign_in_links').set({ expires_at: 1 }).execute())
    const { code, text } = await doctor({ DATABASE_URL: home.url })
    expect(text).toContain('✓ sign-in links: 1 expired unused')
    expect(code).toBe(0)
  })

  test('reports a missing or empty database', async () => {
    const nowhere = await doctor({ DATABASE_URL: 'sqlite:./no/such/file.db' })
    expect(nowhere.text).toContain('✗ database: ')
    expect(nowhere.code).toBe(1)
    const away = await doctor({ DATABASE_URL: 'postgres://ada:hunter2@127.0.0.1:1/parley' })
    expect(away.text).toContain('✗ database: ')
    expect(away.text + away.errors).not.toContain('hunter2')
    expect(away.code).toBe(1)
  })

  test('reports each invalid setting', async () => {
    const { code, text } = await doctor({ PORT: 'many', DATABASE_URL: 'postgres://ada:hunter2@host' })
    expect(text).toContain('✗ settings: PORT=many')
    expect(text).toContain('✗ settings: DATABASE_URL=')
    expect(text).not.toContain('hunter2')
    expect(code).toBe(1)
  })

  test('reports public URLs that cannot be opened or are not encrypted', async () => {
    await using home = await patient()
    const look = async (PUBLIC_URL: string) => (await doctor({ DATABASE_URL: home.url, PUBLIC_URL })).text
    expect(await look('http://0.0.0.0:3000')).toContain('✗ PUBLIC_URL')
    expect(await look('http://parley.example.com')).toContain('✗ PUBLIC_URL')
    expect(await look('https://parley.example.com')).toContain('✓ PUBLIC_URL')
    expect(await look('http://parley:3000')).toContain('✓ PUBLIC_URL')
  })
})

if (engineUnderTest === 'postgres')
  test('a PostgreSQL that is older than what is tested is reported at start and by doctor', async () => {
    const database = await newDatabase(postgres?.url)
    // The number of the version, after its length.
    const makeOld = (reply: Buffer) =>
      Buffer.from(reply.toString('latin1').replace(/(\0\0\0\x06)1[5-9]00\d\d/g, '$1140012'), 'latin1')
    await using link = await openLossyLink(postgres!.port, makeOld)
    const old = database.url.replace(`:${postgres!.port}/`, `:${link.port}/`)
    const warningsOf = async (DATABASE_URL: string) => {
      const lines: string[] = []
      const log = openLog({ level: 'warn', format: 'json', write: (text) => void lines.push(text) })
      const server = await startTestServer({ DATABASE_URL }, { log })
      await server.stop()
      return lines.join('')
    }
    expect(await warningsOf(old)).toContain('PostgreSQL 14 is older than what Parley is tested with: use version 15')
    expect(await warningsOf(database.url)).not.toContain('older')
    const { code, text } = await doctor({ DATABASE_URL: old })
    expect(text).toMatch(/✗ server: PostgreSQL .* → Parley is tested with version 15 and newer/)
    expect(code).toBe(1)
    await database.drop()
  })
