import { afterAll, describe, expect, test } from 'bun:test'
import { MAX_GROUP_MEMBERS, MAX_GROUPS } from '../src/contract/groups'
import type { Client } from './client'
import { expectConsistent } from './consistency'
import { author, expectInvalid, expectPages, expectRefusals, expectRefused, idOf, timestamp } from './expectations'
import { sharedServer } from './server'
import { type World, world } from './world'

afterAll(async () => expectConsistent(await sharedServer()))

async function worldWithGroup() {
  const cast = await world()
  return { ...cast, design: await cast.root.groups.create({ name: 'design', description: 'Who draws.' }) }
}

/** Sets what would take thousands of calls. */
const setRows = ({ server }: World, work: (db: never) => Promise<unknown>) =>
  server.parley.engine.write((db) => work(db as never))

describe('groups.create', () => {
  test('makes a group that nobody is in', async () => {
    const { root, ada, events } = await world()
    const group = await root.groups.create({ name: '@Design-Team_2', description: '  Who\n draws. ' })
    expect(group).toEqual({
      ...{ id: idOf('group'), name: 'Design-Team_2', description: 'Who draws.', members_count: 0 },
      ...{ created_at: timestamp, updated_at: timestamp },
    })
    expect(await ada.groups.get({ id: group.id })).toEqual(group)
    expect(await events()).toEqual(['group.created'])
  })

  test.each(['two words', 'a.b', 'a@b', '-a', '#a', 'a/b', 'x‮y', '<b>'])('refuses the name %p', async (name) => {
    const { root, events } = await world()
    await expectInvalid(root.groups.create({ name }), 'name')
    expect(await events()).toEqual([])
  })

  test.each(['channel', 'here', 'Everyone', 'ALL', 'hére'])(
    'refuses %p, which has a meaning of its own',
    async (name) => {
      const { root } = await world()
      await expectInvalid(root.groups.create({ name }), 'name')
    },
  )

  test.each(['ünïcode', '設計', '2024', 'a_b-c', 'हिन्दी'])('accepts the name %p', async (name) => {
    const { root } = await world()
    expect((await root.groups.create({ name })).name).toBe(name.normalize('NFC'))
  })

  test('refuses the name of another group, however it is written', async () => {
    const { root, zed } = await worldWithGroup()
    await expectRefused(root.groups.create({ name: 'DÉSIGN' }), 'name_taken')
    expect((await zed.groups.create({ name: 'design' })).name).toBe('design')
  })

  test('refuses more than a workspace can have', async () => {
    const cast = await worldWithGroup()
    await setRows(cast, async (db: never) => {
      const row = { workspace_key: cast.workspaceKey, created_at: 0, updated_at: 0, description: '' }
      for (let at = 1; at < MAX_GROUPS; at++)
        await (db as Db)
          .insertInto('groups')
          .values({
            ...row,
            id: `group_${cast.workspaceKey}_${at}`,
            name: `g${at}`,
            name_fold: `g${at}`,
            name_order: `g${at}`,
          })
          .execute()
    })
    await expectRefused(cast.root.groups.create({ name: 'one-more' }), 'too_many_groups')
  })
})

type Db = import('../src/store/engines/db').Writer

const writes: ((who: Client, group: { id: string }, cast: World) => Promise<unknown>)[] = [
  (who) => who.groups.create({ name: 'mine' }),
  (who, { id }) => who.groups.update({ id, name: 'mine' }),
  (who, { id }) => who.groups.delete({ id }),
  (who, { id }, { ada }) => who.groups.addMember({ group_id: id, member_id: ada.id }),
  (who, { id }, { bob }) => who.groups.removeMember({ group_id: id, member_id: bob.id }),
]

test('only admins manage groups', async () => {
  const cast = await worldWithGroup()
  for (const write of writes)
    await expectRefusals(cast, (who) => write(who, cast.design, cast), {
      ...{ ada: 'forbidden', vic: 'forbidden', gus: 'forbidden' },
      ...{ bot: 'insufficient_scope', reader: 'insufficient_scope' },
    })
  for (const write of writes.slice(1))
    await expectRefusals(cast, (who) => write(who, cast.design, cast), { zed: 'not_found' })
})

test('a guest sees no groups', async () => {
  const { root, gus, design } = await worldWithGroup()
  await root.groups.addMember({ group_id: design.id, member_id: gus.id })
  expect((await gus.groups.list()).data).toEqual([])
  await expectRefused(gus.groups.get({ id: design.id }), 'not_found')
  await expectRefused(gus.groups.members({ group_id: design.id }), 'not_found')
  expect((await gus.events.list({ types: ['group.created', 'group.member_added'] })).data).toEqual([])
})

describe('groups.list', () => {
  test('lists the groups by name, page by page', async () => {
    const { root, vic } = await world()
    const names = ['zoo', 'Ärzte', 'team-10', 'design', 'team-2', 'backend', 'ops']
    for (const name of names) await root.groups.create({ name })
    const sorted = ['Ärzte', 'backend', 'design', 'ops', 'team-2', 'team-10', 'zoo']
    const all = (await vic.groups.list()).data
    expect(all.map(({ name }) => name)).toEqual(sorted)
    await expectPages((input) => vic.groups.list(input), all)
    const found = await vic.groups.list({ q: 'S' })
    expect([found.data.map(({ name }) => name), found.total_count]).toEqual([['design', 'ops'], 2])
    expect((await vic.groups.list({ q: '%' })).data).toEqual([])
  })
})

describe('groups.update', () => {
  test('renames and describes a group', async () => {
    const { root, design, events } = await worldWithGroup()
    const changed = await root.groups.update({ id: design.id, name: 'Design', description: '' })
    expect(changed).toEqual({ ...design, name: 'Design', description: '', updated_at: timestamp })
    expect(await root.groups.update({ id: design.id, name: 'Design' })).toEqual(changed)
    expect(await events()).toEqual(['group.created', 'group.updated'])
  })

  test('refuses the name of another group', async () => {
    const { root, design } = await worldWithGroup()
    await root.groups.create({ name: 'ops' })
    await expectRefused(root.groups.update({ id: design.id, name: 'Ops' }), 'name_taken')
    await expectInvalid(root.groups.update({ id: design.id, name: 'here' }), 'name')
  })
})

describe('the members of a group', () => {
  test('are listed in the order in which they were added', async () => {
    const { root, ada, bob, vic, gus, design } = await worldWithGroup()
    for (const { id } of [bob, ada, gus]) await root.groups.addMember({ group_id: design.id, member_id: id })
    await root.groups.addMember({ group_id: design.id, member_id: bob.id })
    const { data, total_count } = await vic.groups.members({ group_id: design.id })
    const expected = [author(bob, 'Bob Moore'), author(ada, 'Ada Lovelace'), author(gus, 'Gus Guest')]
    expect([data, total_count]).toEqual([expected, 3])
    await expectPages((input) => vic.groups.members({ group_id: design.id, ...input }), expected)
    await root.groups.removeMember({ group_id: design.id, member_id: ada.id })
    expect((await vic.groups.get({ id: design.id })).members_count).toBe(2)
    await expectRefused(root.groups.removeMember({ group_id: design.id, member_id: ada.id }), 'not_found')
  })

  test('are no apps, and nobody of another workspace', async () => {
    const { root, bot, zed, design, events } = await worldWithGroup()
    for (const { id } of [bot, zed])
      await expectRefused(root.groups.addMember({ group_id: design.id, member_id: id }), 'not_found')
    expect(await events()).toEqual(['group.created'])
  })

  test('are no more than a group can have', async () => {
    const cast = await worldWithGroup()
    const { root, ada, bob, design } = cast
    await root.groups.addMember({ group_id: design.id, member_id: bob.id })
    await setRows(cast, (db) =>
      (db as Db).updateTable('groups').set({ members_count: MAX_GROUP_MEMBERS }).where('id', '=', design.id).execute(),
    )
    await expectRefused(root.groups.addMember({ group_id: design.id, member_id: ada.id }), 'too_many_members')
    await setRows(cast, (db) =>
      (db as Db).updateTable('groups').set({ members_count: 1 }).where('id', '=', design.id).execute(),
    )
  })
})

test('deleting a group takes its members out of it, and leaves nothing', async () => {
  const { root, ada, design, events, server } = await worldWithGroup()
  await root.groups.addMember({ group_id: design.id, member_id: ada.id })
  await root.groups.delete({ id: design.id })
  await expectRefused(root.groups.get({ id: design.id }), 'not_found')
  expect(await events()).toEqual(['group.created', 'group.member_added', 'group.deleted'])
  const left = await server.parley.engine.read((db) =>
    db.selectFrom('group_members').where('author_id', '=', ada.id).selectAll().execute(),
  )
  expect(left).toEqual([])
  expect((await root.groups.create({ name: 'design' })).id).not.toBe(design.id)
})
