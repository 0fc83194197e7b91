import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync } from 'node:fs'
import type { Running } from '../src/server'
import { createClient } from './client'
import { parley } from './command'
import { engineUnderTest, newDatabase, newMigratedDatabase, startTestServer } from './server'
import { secretOf, send } from './session/browser'

// Each command is a separate process.
setDefaultTimeout(300_000)

let server: Running
let DATABASE_URL: string

beforeAll(async () => {
  DATABASE_URL = (await newMigratedDatabase()).url
  // Commands use the system clock, so this server must, too.
  server = await startTestServer({ DATABASE_URL }, { clock: Date.now })
})
afterAll(() => server.stop())

/** Runs a command on the running server's database. */
const run = (...args: string[]) => parley(args, { DATABASE_URL, PUBLIC_URL: server.url })

/** Expects a command to exit with this code, with one line that contains these words on stderr and nothing on stdout. */
async function expectError(code: number, args: string[], words: string, env: Record<string, string> = {}) {
  const result = await parley(args, { DATABASE_URL, ...env })
  expect([result.code, result.stdout]).toEqual([code, ''])
  const lines = result.stderr.trim().split('\n')
  expect(lines[0]).toStartWith('parley: ')
  expect(lines[0]).toContain(words)
  expect(lines.length).toBeLessThanOrEqual(2)
  expect(result.stderr).not.toMatch(/\bat .+:\d+:\d+|this is a bug/)
  return result.stderr
}

const made = async (...args: string[]) => {
  const { code, stdout, stderr } = await run(...args)
  expect([code, stderr]).toEqual([0, ''])
  return stdout
}

const ask = async (token: string, path: string) => {
  const response = await fetch(server.url + path, { headers: { Authorization: `Bearer ${token}` } })
  return { status: response.status, body: (await response.json()) as { author: { id: string }; scopes: string[] } }
}

describe('help', () => {
  test('lists the commands, each with a help', async () => {
    for (const ask of [[], ['help'], ['--help'], ['-h']]) {
      const { code, stdout } = await parley(ask)
      expect(code).toBe(0)
      expect(stdout).toContain('Usage: parley <command>')
    }
    const { stdout } = await parley(['help'])
    const commands = [...stdout.matchAll(/^ {2}([a-z]+(?: [a-z]+)?) {3}/gm)].map(([, name]) => name!)
    expect(commands).toEqual(
      expect.arrayContaining(['serve', 'token create', 'workspace create', 'member add', 'migrate']),
    )
    const helps = await Promise.all(commands.map((name) => parley([...name.split(' '), '--help'])))
    for (const [at, name] of commands.entries()) {
      const help = helps[at]!
      expect([name, help.code, help.stderr]).toEqual([name, 0, ''])
      expect(help.stdout).toContain(`Usage: parley ${name}`)
      expect(help.stdout).toContain('--help')
    }
    // Starts one process for each command at once.
  }, 240_000)

  test('of serve lists every setting', async () => {
    const { stdout } = await parley(['serve', '--help'])
    for (const name of ['PORT', 'HOST', 'DATABASE_URL', 'PUBLIC_URL', 'RATE_LIMIT', 'TRUSTED_PROXIES', 'LOG_LEVEL'])
      expect(stdout).toContain(name)
  })

  test('--version is the version of the package, and of a bundle also its commit', async () => {
    const { version } = await Bun.file(`${import.meta.dir}/../package.json`).json()
    expect((await parley(['--version'])).stdout.replace(/ \([0-9a-f]{7,}(?:-dirty)?\)/, '')).toBe(`${version}\n`)
  })
})

describe('wrong use', () => {
  test.each([
    [['sevre'], 'sevre'],
    [['token', 'destroy'], 'token destroy'],
    [['token', 'create', '--colour', 'red'], '--colour'],
    [['token', 'create'], '--app NAME or --member EMAIL'],
    [['token', 'create', '--app', 'A', '--member', 'b@c'], 'either'],
    [['token', 'create', '--app'], '--app'],
    [['token', 'create', '--app', 'A', '--scopes', 'read,root'], '“root” is not one of read, write, admin'],
    [['token', 'create', '--app', 'A', '--scopes', ''], 'not one of read, write, admin'],
    [['token', 'create', '--app', 'A', '--expires-at', 'tomorrow'], 'tomorrow'],
    [['token', 'create', '--app', 'A', 'extra'], 'extra'],
    [['token', 'revoke'], '<id>'],
    [['workspace', 'create', '--name', 'X'], '--slug'],
    [['workspace', 'create', '--name', 'X', '--slug', 'Not A Slug'], '--slug'],
    [['member', 'add', '--email', 'x@y'], '--name'],
    [['member', 'add', '--email', 'nobody', '--name', 'N'], 'nobody'],
    [['member', 'add', '--email', 'x@y', '--name', 'N', '--role', 'king'], 'admin, member, viewer, guest'],
    [['migrate', 'now'], 'now'],
  ])('%j', async (args, words) => void (await expectError(2, args, words)))
})

describe('tokens', () => {
  test('a token is printed alone, works at once, and its app is created once', async () => {
    const first = await made('token', 'create', '--app', 'Build', '--scopes', 'read,write', '--name', 'CI')
    expect(first).toMatch(/^parley_[\w-]{43}\n$/)
    const me = await ask(first.trim(), '/v2/me')
    expect(me).toMatchObject({
      status: 200,
      body: { author: { name: 'Build', type: 'app' }, role: null, scopes: ['read', 'write'] },
    })
    const second = await ask((await made('token', 'create', '--app', 'build')).trim(), '/v2/me')
    expect(second.body.author.id).toBe(me.body.author.id)
    expect(second.body.scopes).toEqual(['read'])
  })

  test('a token for a member acts as the member', async () => {
    const token = await made('token', 'create', '--member', 'ADMIN@example.com', '--scopes', 'admin')
    expect((await ask(token.trim(), '/v2/me')).body).toMatchObject({ role: 'admin', scopes: ['admin'] })
    await expectError(
      1,
      ['token', 'create', '--member', 'nobody@example.com'],
      'nobody@example.com is not a member of home',
    )
  })

  test('a token can expire', async () => {
    await expectError(1, ['token', 'create', '--app', 'Late', '--expires-at', '2001-01-01T00:00:00Z'], 'expires_at')
    const token = await made('token', 'create', '--app', 'Late', '--expires-at', '2999-01-01T00:00:00Z')
    expect((await ask(token.trim(), '/v2/me')).status).toBe(200)
  })

  test('the list shows no secrets; a revoked token stops working', async () => {
    const token = (await made('token', 'create', '--app', 'Gone', '--name', 'to revoke')).trim()
    expect((await ask(token, '/v2/me')).status).toBe(200)
    const list = await made('token', 'list')
    expect(list).not.toMatch(/parley_/)
    const id = list
      .split('\n')
      .find((line) => line.includes('to revoke'))!
      .match(/tok_\w+/)![0]
    expect(await made('token', 'revoke', id)).toBe(`Revoked ${id}.\n`)
    expect((await ask(token, '/v2/me')).status).toBe(401)
    await expectError(1, ['token', 'revoke', id], id)
  })
})

describe('workspaces and members', () => {
  test('a slug is unique; with several workspaces, commands require --workspace', async () => {
    const database = await newDatabase()
    const env = { DATABASE_URL: database.url }
    expect((await parley(['migrate'], env)).stdout).toContain('Migrated: ')
    await expectError(1, ['token', 'create', '--app', 'A'], 'no workspace yet', env)
    expect((await parley(['workspace', 'create', '--name', 'Lab', '--slug', 'lab'], env)).stdout).toBe('lab\n')
    await expectError(1, ['workspace', 'create', '--name', 'Lab', '--slug', 'lab'], '“lab” already exists', env)
    expect((await parley(['token', 'create', '--app', 'A'], env)).code).toBe(0)
    await parley(['workspace', 'create', '--name', 'Shop', '--slug', 'shop'], env)
    const trick = await parley(['workspace', 'create', '--name', 'La\u200bb', '--slug', 'lab2'], env)
    expect(trick.stderr).toContain('--name: Must not contain invisible')
    const named = await parley(
      ['member', 'add', '--email', 'a@b.example', '--name', 'A\u202eda', '--workspace', 'lab'],
      env,
    )
    expect(named.stderr).toContain('--name: Must not contain invisible')
    await expectError(1, ['token', 'create', '--app', 'A'], 'lab, shop', env)
    await expectError(1, ['token', 'create', '--app', 'A', '--workspace', 'none'], '“none”', env)
    expect((await parley(['token', 'create', '--app', 'A', '--workspace', 'shop'], env)).code).toBe(0)
    expect((await parley(['workspace', 'list'], env)).stdout).toMatch(/^SLUG .+\nlab {3}Lab .+\nshop {2}Shop .+\n$/)
    await database.drop()
  })

  test('an e-mail address is unique; the sign-in link works', async () => {
    const add = ['member', 'add', '--email', 'new@example.com', '--name', 'New Person', '--role', 'viewer']
    const link = (await made(...add)).trim()
    expect(link).toStartWith(`${server.url}/sign-in#token=parley_`)
    expect(await inspectLink(link)).toMatchObject({ name: 'New Person', email: 'new@example.com' })
    await expectError(1, add, 'new@example.com')
    const another = (await made('member', 'link', '--email', 'New@example.com')).trim()
    expect(another).not.toBe(link)
    expect(await inspectLink(another)).toMatchObject({ name: 'New Person' })
    expect(await inspectLink(link)).toMatchObject({ code: 'link_gone' })
    await expectError(1, ['member', 'link', '--email', 'nobody@example.com'], 'nobody@example.com')
    const local = await parley(['member', 'link', '--email', 'new@example.com'], { DATABASE_URL, PORT: '4000' })
    expect(local.stdout).toMatch(/^http:\/\/localhost:4000\/sign-in#token=\S+\n$/)
    expect(local.stderr).toContain('The link starts with http://localhost:4000, because PUBLIC_URL is not set.')
  })

  test('a deactivated member gets no token and no link', async () => {
    await made('member', 'add', '--email', 'away@example.com', '--name', 'Away')
    await server.parley.engine.write((db) =>
      db.updateTable('members').set({ is_deactivated: true }).where('search_text', 'like', '%away@%').execute(),
    )
    await expectError(1, ['token', 'create', '--member', 'away@example.com'], 'away@example.com is deactivated')
    await expectError(1, ['member', 'link', '--email', 'away@example.com'], 'away@example.com is deactivated')
  })

  test('a password is removed in all workspaces', async () => {
    const token = (await made('token', 'create', '--member', 'admin@example.com', '--scopes', 'admin')).trim()
    const admin = createClient({ baseUrl: server.url, token })
    await expectError(1, ['password', 'remove', '--email', 'admin@example.com'], 'admin@example.com has no password')
    await admin.me.setPassword({ password: 'correct horse' })
    expect(await made('password', 'remove', '--email', 'Admin@example.com')).toBe(
      'Removed the password of admin@example.com.\n',
    )
    expect((await admin.me.get()).has_password).toBe(false)
    await admin.me.setPassword({ password: 'battery staple' })
    const { data } = await admin.events.list({ types: ['password.changed', 'password.removed'] })
    expect(data.map(({ type, actor }) => [type, actor?.name])).toEqual([
      ['password.changed', 'Admin'],
      ['password.removed', undefined],
      ['password.changed', 'Admin'],
    ])
  })

  test('a member can have 100 active tokens', async () => {
    const token = (await made('token', 'create', '--app', 'Many', '--scopes', 'admin')).trim()
    const client = createClient({ baseUrl: server.url, token })
    const { author } = await client.me.get()
    await Promise.all(Array.from({ length: 99 }, () => client.apps.createToken({ id: author.id, scopes: ['read'] })))
    await expectError(1, ['token', 'create', '--app', 'Many'], 'Revoke one that is no longer used')
  })

  /** The server’s description of a sign-in link. */
  const inspectLink = async (link: string) =>
    (await send(server.url, 'POST', '/session/link', { link: secretOf(link) })).json()
})

describe('the database', () => {
  test('migrate migrates an empty one, or says that it is up to date', async () => {
    const database = await newDatabase()
    const env = { DATABASE_URL: database.url }
    const [missing, file] = [engineUnderTest === 'sqlite', database.url.replace('sqlite:', '')]
    await expectError(1, ['token', 'list'], missing ? `There is no database ${file}.` : `is empty.`, env)
    expect(existsSync(file)).toBe(false)
    expect((await parley(['migrate'], env)).stdout).toStartWith('Migrated: ')
    expect((await parley(['migrate'], env)).stdout).toBe('The database is up to date.\n')
    await database.drop()
  })

  test.each([
    ['mysql://u:hunter2@h/d', 'DATABASE_URL'],
    ['postgres://u:hunter2@127.0.0.1:1/none', '127.0.0.1'],
    ['sqlite:/proc/nowhere/parley.db', '/proc/nowhere'],
    ['sqlite:package.json', 'package.json'],
  ])('%s is explained in a line, without a password', async (url, words) => {
    expect(await expectError(1, ['token', 'list'], words, { DATABASE_URL: url })).not.toContain('hunter2')
  })

  test('serve names every invalid setting, and a port in use', async () => {
    const { code, stderr } = await parley(['serve'], { PORT: 'x', RATE_LIMIT: 'x', DATABASE_URL })
    expect(code).toBe(1)
    expect(stderr).toMatch(/^parley: PORT=x .+\nparley: RATE_LIMIT=x .+\n$/)
    const { port } = new URL(server.url)
    await expectError(1, ['serve'], `Port ${port} is in use`, { PORT: port, HOST: '127.0.0.1' })
  })
})
