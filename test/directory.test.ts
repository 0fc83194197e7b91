import { expect, test } from 'bun:test'
import { fold } from '../src/contract/fold'
import { type Member, roles } from '../src/contract/members'
import { makeDirectory } from '../src/records/directory/making'
import { searchMembers } from '../src/store/member-search'
import { findPosition } from '../src/store/workspaces'
import { startTestServer } from './server'
import { type Person, world } from './world'

const NAMES = [
  'Zoë Müller',
  'Taras Бондаренко',
  '橋本 涼',
  'Anna 😀 Nováková',
  "O'Neil %_\\",
  'aaaa aaa',
  'Ada "Q" King',
]
const TEXTS = [
  'a',
  'aa',
  'aaa',
  'aaaa',
  'e',
  'ex',
  'example.com',
  '橋',
  'бонд',
  '😀',
  '%',
  '_',
  '"q"',
  "o'neil",
  'zoe m',
  'xyz',
]

test('a directory finds what the database finds, before and after people come and change', async () => {
  const server = await startTestServer()
  const { root, workspaceKey, ada } = await world(server)
  const people: Member[] = []
  for (const [at, display_name] of NAMES.entries())
    people.push(await root.members.create({ display_name, email: `p${at}@example.com`, role: roles[at % 4]! }))

  const { engine, directories } = server.parley
  expect(await makeDirectory(engine.read, workspaceKey, 1_000)).toBeUndefined()
  const viewer = { workspace: { key: workspaceKey }, author: { key: 0 }, role: 'admin' } as never
  const current = () =>
    engine.read(async (db) => directories.asOf(db, workspaceKey, await findPosition(db, workspaceKey)))
  await current()
  await directories.settled()

  const expectAgreement = async () => {
    const directory = (await current())!
    for (const text of TEXTS.map(fold))
      for (const some of [roles, ['member', 'guest'] as const])
        for (const scan of ['asc', 'desc'] as const)
          for (const from of [undefined, ...people.slice(1, 4)])
            for (const inclusive of [true, false]) {
              const place = from && { at: Date.parse(from.created_at), id: from.id, inclusive }
              const slice = { sort: 'created_at' as const, scan, limit: 2, from: place }
              const { found, total } = await engine.read((db) =>
                searchMembers(db, viewer, { roles: some, text }, slice),
              )
              const truth = { keys: found.rows.map(({ author_key }) => author_key), behind: found.behind, total }
              expect({ text, ...directory.list(text, some, slice) }).toEqual({ text, ...truth })
            }
  }
  await expectAgreement()
  await root.members.update({ id: people[1]!.id, display_name: 'Zoe aaa', role: 'guest' })
  await root.members.update({ id: people[5]!.id, display_name: 'Nobody' })
  await root.members.create({ display_name: 'Late Aaaa', email: 'late@example.com', role: 'member' })
  await ada.me.get()
  await expectAgreement()
  await server.stop()
}, 60_000)

const finds = async (who: Person, q: string) =>
  (await who.members.list({ q })).data.map(({ user }) => user.display_name)

test('whoever comes or changes while a directory is made is in it', async () => {
  const server = await startTestServer()
  const { root } = await world(server)
  const add = (number: number) =>
    root.members.create({ display_name: `Person ${number}`, email: `person${number}@example.com`, role: 'member' })
  const early = await Promise.all(Array.from({ length: 20 }, (_, at) => add(at)))
  // The first search has it made, beside everything else.
  const found = finds(root, 'person 1')
  for (let number = 20; number < 40; number++) {
    await add(number)
    await root.members.update({ id: early[number - 20]!.id, display_name: `Renamed ${number - 20}` })
    expect(await finds(root, `person ${number}`)).toEqual([`Person ${number}`])
    expect(await finds(root, `renamed ${number - 20}`)).toContain(`Renamed ${number - 20}`)
    // By the name only: the address is still the old one.
    expect(await finds(root, `person ${number - 20}`)).not.toContain(`Person ${number - 20}`)
  }
  await found
  await server.parley.directories.settled()
  expect(await finds(root, 'renamed')).toHaveLength(20)
  expect(await finds(root, 'person 3')).toHaveLength(10)
  await server.stop()
}, 60_000)

test('a log that does not reach back far enough makes it begin anew', async () => {
  const server = await startTestServer()
  const { root, ada, workspaceKey } = await world(server)
  expect(await finds(root, 'ada')).toHaveLength(1)
  await server.parley.directories.settled()
  await root.members.update({ id: ada.id, display_name: 'Countess' })
  await server.parley.engine.write((db) => db.deleteFrom('events').where('workspace_key', '=', workspaceKey).execute())
  for (let round = 0; round < 3; round++) {
    expect(await finds(root, 'countess')).toEqual(['Countess'])
    await server.parley.directories.settled()
  }
  await server.stop()
}, 60_000)
