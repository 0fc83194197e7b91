import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { Running } from '../src/server'
import { createClient } from './client'
import { parley } from './command'
import { newDatabase, newMigratedDatabase, startTestServer } from './server'

// Each command is a separate process.
setDefaultTimeout(300_000)

let server: Running
let DATABASE_URL: string

beforeAll(async () => {
  DATABASE_URL = (await newMigratedDatabase()).url
  server = await startTestServer({ DATABASE_URL })
})
afterAll(() => server.stop())

const run = (...args: string[]) => parley(args, { DATABASE_URL, PUBLIC_URL: server.url })

const runSuccessfully = async (...args: string[]) => {
  const { code, stdout, stderr } = await run(...args)
  expect([code, stderr]).toEqual([0, ''])
  return stdout
}

const admin = async () => {
  const token = (await runSuccessfully('token', 'create', '--member', 'admin@example.com', '--scopes', 'admin')).trim()
  return createClient({ baseUrl: server.url, token })
}

const expectError = async (code: number, ...args: string[]) => {
  const result = await run(...args)
  expect([result.code, result.stdout]).toEqual([code, ''])
  return result.stderr.split('\n')[0]!
}

describe('a group of commands', () => {
  test.each(['token', 'member', 'workspace'])('%s has a help', async (group) => {
    const asked = [[group], [group, '--help'], [group, '-h'], [group, 'help'], ['help', group]]
    const outputs = await Promise.all(asked.map((args) => runSuccessfully(...args)))
    expect(new Set(outputs).size).toBe(1)
    expect(outputs[0]).toContain(`Usage: parley ${group} <command>`)
    expect(outputs[0]).toMatch(/^ {2}list {3}/m)
  })

  test('`help` may come first or last', async () => {
    const outputs = await Promise.all([
      runSuccessfully('help', 'token', 'create'),
      runSuccessfully('token', 'create', '--help'),
    ])
    expect(outputs[0]).toBe(outputs[1])
  })

  test.each([
    [['tokn'], 'Unknown command “tokn”. Did you mean “token”?'],
    [['tokens', 'list'], 'Unknown command “tokens”. Did you mean “token”?'],
    [['sevre'], 'Unknown command “sevre”. Did you mean “serve”?'],
    [['token', 'lsit'], 'Unknown command “token lsit”. Did you mean “token list”?'],
    [['help', 'token', 'lsit'], 'Unknown command “token lsit”. Did you mean “token list”?'],
    [['token', 'destroy'], 'token has these commands: create, list, revoke.'],
    [['fly'], 'Unknown command “fly”.'],
    [['member', 'role', '--emial', 'a@b'], 'Did you mean --email?'],
  ])('%j is answered with what was probably meant', async (args, words) =>
    expect(await expectError(2, ...args)).toContain(words),
  )
})

describe('members', () => {
  const list = async (...args: string[]) => (await runSuccessfully('member', 'list', ...args)).trimEnd().split('\n')
  test('are listed in columns, or as JSON', async () => {
    await runSuccessfully('member', 'add', '--email', 'ryo@example.com', '--name', '橋本 涼', '--role', 'viewer')
    const [head, ...rows] = await list()
    expect(head).toMatch(/^E-MAIL +NAME +ROLE +STATUS +JOINED +LAST SEEN +ID$/)
    expect(rows).toHaveLength(2)
    const at = head!.indexOf('ROLE')
    for (const [row, role] of [
      [rows[0]!, 'admin'],
      [rows[1]!, 'viewer'],
    ] as const) {
      const before = row.slice(0, row.indexOf(` ${role} `) + 1)
      expect(Bun.stringWidth(before)).toBe(at)
    }
    expect((await list('--role', 'viewer')).map((row) => row.split(' ')[0])).toEqual(['E-MAIL', 'ryo@example.com'])
    const shown = JSON.parse(await runSuccessfully('member', 'list', '--json', '--role', 'viewer'))
    const { data } = await (await admin()).members.list({ roles: ['viewer'] })
    expect(shown).toEqual([{ ...data[0], last_seen_at: expect.stringMatching(/Z$/) }])
    expect(await expectError(2, 'member', 'list', '--role', 'king')).toContain('admin, member, viewer, guest')
  })

  test('are all listed, over several pages', async () => {
    const database = await newMigratedDatabase()
    const env = { DATABASE_URL: database.url }
    await parley(['seed', '--posts', '0', '--threads', '0', '--channels', '1', '--members', '120'], env)
    const shown = JSON.parse((await parley(['member', 'list', '--json'], env)).stdout) as { id: string }[]
    expect(new Set(shown.map(({ id }) => id)).size).toBe(121)
    await database.drop()
  })

  test('names cannot contain control characters', async () => {
    const client = await admin()
    const { id } = await client.tokens.createMine({ scopes: ['read'] })
    // Stored before names were validated.
    const name = 'red \u001b[31m and \u202e back'
    await server.parley.engine.write((db) => db.updateTable('tokens').set({ name }).where('id', '=', id).execute())
    const shown = await runSuccessfully('token', 'list')
    expect(shown).toContain('red \\u{1b}[31m and \\u{202e} back')
    expect(shown).not.toContain('\u001b')
  })

  test('can be deactivated and reactivated', async () => {
    await runSuccessfully('member', 'add', '--email', 'leaving@example.com', '--name', 'Leaving')
    const token = (await runSuccessfully('token', 'create', '--member', 'leaving@example.com')).trim()
    const client = createClient({ baseUrl: server.url, token })
    expect((await client.me.get()).author.name).toBe('Leaving')

    expect(await runSuccessfully('member', 'deactivate', '--email', 'LEAVING@example.com')).toBe(
      'Deactivated leaving@example.com.\n',
    )
    await expect(client.me.get()).rejects.toMatchObject({ code: 'unauthenticated' })
    expect(await runSuccessfully('member', 'deactivate', '--email', 'leaving@example.com')).toBe(
      'leaving@example.com is already deactivated.\n',
    )
    expect((await list()).find((row) => row.startsWith('leaving@'))).toContain('deactivated')
    expect(await runSuccessfully('member', 'reactivate', '--email', 'leaving@example.com')).toBe(
      'Reactivated leaving@example.com.\n',
    )
    expect(await runSuccessfully('member', 'reactivate', '--email', 'leaving@example.com')).toBe(
      'leaving@example.com is already active.\n',
    )
    const { data } = await (await admin()).events.list({ types: ['member.deactivated', 'member.reactivated'] })
    expect(data.map(({ type }) => type)).toEqual(['member.deactivated', 'member.reactivated'])
    expect(await expectError(1, 'member', 'deactivate', '--email', 'nobody@example.com')).toContain(
      'not a member of home',
    )
    expect(await expectError(2, 'member', 'deactivate')).toContain('--email')
  })

  test('the last admin cannot be demoted or deactivated', async () => {
    expect(await expectError(1, 'member', 'deactivate', '--email', 'admin@example.com')).toContain(
      'the last active admin',
    )
    expect(await expectError(1, 'member', 'role', '--email', 'admin@example.com', '--role', 'guest')).toContain(
      'the last active admin',
    )
  })

  test('can get another role', async () => {
    const role = (name: string) => runSuccessfully('member', 'role', '--email', 'ryo@example.com', '--role', name)
    expect(await role('member')).toBe('ryo@example.com: viewer → member.\n')
    expect(await role('member')).toBe('ryo@example.com already has the role member.\n')
    expect(await expectError(2, 'member', 'role', '--email', 'ryo@example.com', '--role', 'king')).toContain('“king”')
    const { data } = await (await admin()).members.list({ q: 'ryo@' })
    expect(data[0]!.role).toBe('member')
  })
})

describe('lists as JSON', () => {
  test('tokens without secrets, workspaces with their members', async () => {
    const tokens = JSON.parse(await runSuccessfully('token', 'list', '--json')) as object[]
    expect(tokens[0]).toMatchObject({ owner: { type: 'member', name: 'Admin' }, scopes: ['admin'] })
    expect(JSON.stringify(tokens)).not.toContain('parley_')
    const [home] = JSON.parse(await runSuccessfully('workspace', 'list', '--json')) as { members_count: number }[]
    expect(home).toMatchObject({ slug: 'home', name: 'Home', members_count: expect.any(Number) })
  })
})

test('reindex builds the search index anew while the server runs', async () => {
  const client = await admin()
  const [channel] = (await client.channels.list()).data
  await client.posts.create({ channel_id: channel!.id, title: 'Brasserie', content_markdown: 'At noon?' })
  const before = await client.search.list({ q: 'brasserie' })
  expect(before.total_count).toBe(1)

  const { code, stdout } = await run('reindex')
  expect(code).toBe(0)
  expect(stdout).toMatch(/^Indexed [\d,]+ records \([\d.]+ s\)\.\n$/)
  expect(await client.search.list({ q: 'brasserie' })).toEqual(before)
})

describe('seed', () => {
  const small = ['seed', '--posts', '5', '--members', '3', '--channels', '2', '--threads', '1']

  test('sets up an empty database', async () => {
    const database = await newDatabase()
    const env = { DATABASE_URL: database.url, WORKSPACE_NAME: 'Lab' }
    const first = await parley(small, env)
    expect([first.code, first.stderr]).toEqual([0, ''])
    expect(first.stdout).toContain('The database was empty. Migrated: 028-baseline')
    expect(first.stdout).toContain('There was no workspace. Created “Lab”.')
    expect(first.stdout).toMatch(/sign-in\S+token=parley_/)
    expect(first.stdout).toContain('Added to home: 3 members, 2 channels, 5 posts')
    const again = await parley(small, env)
    expect(again.stdout).toMatch(/^Added to home: .+\n$/)
    await database.drop()
  })

  test('does not create a workspace if one was named', async () => {
    const database = await newDatabase()
    const env = { DATABASE_URL: database.url }
    expect((await parley([...small, '--workspace', 'lab'], env)).stderr).toContain('no workspace “lab”')
    expect((await parley(['workspace', 'list'], env)).stdout).toBe('SLUG  NAME  MEMBERS  CREATED  ID\n')
    await database.drop()
  })
})
