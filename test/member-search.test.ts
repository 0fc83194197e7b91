import { describe, expect, test } from 'bun:test'
import { fold } from '../src/contract/browser/fold'
import { avatarOf } from '../src/domain/avatar'
import { insertAuthor } from '../src/store/people/authors'
import { findOrInsertUser, insertMember, searchTextOf } from '../src/store/people/members'
import { addToWorkspace, findPosition, memberCounter } from '../src/store/people/workspaces'
import { ids } from './expectations'
import { startTestServer, time } from './server'
import { world } from './world'

describe('a search for members', () => {
  test('many first searches at once do not wait for each other for ever', async () => {
    const server = await startTestServer()
    const { root, raw } = await world(server)
    const answers = Promise.all(
      Array.from({ length: 40 }, async (_, number) => (await raw(root, `/v2/members?q=a${number}`)).status),
    )
    const outcome = await Promise.race([answers, Bun.sleep(100_000).then(() => 'no answer')])
    expect(outcome).toEqual(Array(40).fill(200))
    await server.stop()
  })

  test('finds what is there after an older backup was restored', async () => {
    const { server, root, bob, workspaceKey } = await world()
    const { engine } = server.parley
    const before = await engine.read((db) => findPosition(db, workspaceKey))
    const old = await engine.read((db) =>
      db
        .selectFrom('authors as a')
        .innerJoin('members as m', 'm.author_key', 'a.key')
        .where('a.id', '=', bob.id)
        .select(['a.key', 'a.name', 'm.search_text'])
        .executeTakeFirstOrThrow(),
    )
    await root.members.update({ id: bob.id, display_name: 'Secret Agent' })
    expect((await root.members.list({ q: 'secret agent' })).total_count).toBe(1)
    // What a restore does to this workspace.
    await engine.write(async (db) => {
      const { key, name, search_text } = old
      await db.updateTable('authors').set({ name }).where('key', '=', key).execute()
      await db.updateTable('members').set({ search_text }).where('author_key', '=', key).execute()
      await db
        .deleteFrom('events')
        .where('workspace_key', '=', workspaceKey)
        .where('revision', '>', before.revision)
        .execute()
      await db.updateTable('workspaces').set(before).where('key', '=', workspaceKey).execute()
    })
    expect((await root.members.list({ q: 'secret agent' })).total_count).toBe(0)
    expect((await root.members.list({ q: old.name.toLowerCase() })).total_count).toBe(1)
  })

  test('finds the same among thousands as comparing each of them', async () => {
    const { server, root, workspaceKey } = await world()
    // Before the cast.
    const created_at = time.now() - 86_400_000
    const cast = (await root.members.list()).data.map(({ id, user }) => ({ ...user, id, name: user.display_name }))
    const people = Array.from({ length: 2_300 }, (_, number) => ({
      id: `mem_${String(number).padStart(26, '0')}`,
      name: number % 3 === 0 ? `Zoë ${number}` : `Кіра ${number}`,
      email: `p${number}@${number % 4 === 0 ? 'other.test' : 'example.com'}`,
    }))
    await server.parley.engine.write(async (db) => {
      for (const { id, name, email } of people) {
        const user = await findOrInsertUser(db, { id: id.replace('mem', 'user'), email, created_at })
        const author = { workspace_key: workspaceKey, id, type: 'member', name, avatar: avatarOf(id, name) } as const
        const { key } = await insertAuthor(db, author)
        const read_revision = 0
        const member = {
          author_key: key,
          workspace_key: workspaceKey,
          id,
          user_id: id.replace('mem', 'user'),
          role: 'member',
          created_at,
          read_revision,
        } as const
        await insertMember(db, user, { ...member, search_text: searchTextOf(fold(name), email) })
      }
      await addToWorkspace(db, workspaceKey, memberCounter.member, people.length)
    })
    const expectFound = async (q: string) => {
      const matching = [...people, ...cast].filter(
        ({ name, email }) => fold(name).includes(fold(q)) || email.includes(fold(q)),
      )
      const expected = ids(matching)
      const found = await root.members.list({ q, limit: 50 })
      expect([q, found.total_count, ids(found.data)]).toEqual([q, expected.length, expected.slice(0, 50)])
      const newest = await root.members.list({ q, limit: 50, direction: 'desc' })
      expect([q, ids(newest.data)]).toEqual([q, expected.toReversed().slice(0, 50)])
      const middle = Math.floor(expected.length / 2)
      if (expected.length > 0) {
        const after = await root.members.list({ q, limit: 20, after: expected[middle] })
        expect([q, ids(after.data)]).toEqual([q, expected.slice(middle + 1, middle + 21)])
        const before = await root.members.list({ q, limit: 20, after: after.prev_cursor! })
        expect([q, ids(before.data)]).toEqual([q, expected.slice(Math.max(0, middle - 19), middle + 1)])
        expect(before.prev_cursor === null).toBe(middle < 20)
      }
      const longAgo = await root.members.list({ q, limit: 50, sort: 'last_seen_at' })
      expect([q, ids(longAgo.data).sort()]).toEqual([q, expected.slice(0, 50).sort()])
    }

    const searches = ['zoë', 'к', 'm', '@', '.c', 'example.com', 'other', '.test', '7', '229', 'p1500@', 'nobody']
    for (const q of searches) await expectFound(q)
    people[1_200]!.name = 'Renamed Otherwise'
    await root.members.update({ id: people[1_200]!.id, display_name: 'Renamed Otherwise' })
    for (const q of ['other', 'renamed', '1200', 'zoë']) await expectFound(q)
  })

  test('the Link header keeps a question mark of the query', async () => {
    const { raw, root, ada, bob } = await world()
    for (const who of [ada, bob]) await root.members.update({ id: who.id, display_name: `a?b ${who.id}` })
    const link = (await raw(root, '/v2/members?q=a?b&limit=1')).headers.get('link')!
    const next = new URL(link.match(/<([^>]+)>/)![1]!)
    expect((await raw(root, next.pathname + next.search)).status).toBe(200)
  })

  test('every name has an avatar', async () => {
    const { root, ada, baseUrl } = await world()
    for (const display_name of ['ǰan', 'ΐota', 'ẖa ẗu']) {
      const { user } = await root.members.update({ id: ada.id, display_name })
      expect((await fetch(baseUrl + new URL(user.avatar_urls.xs).pathname)).status).toBe(200)
    }
  })
})
