import { describe, expect, test } from 'bun:test'
import { findPosition } from '../src/store/workspaces'
import { startTestServer } from './server'
import { world } from './world'

describe('a search for members', () => {
  test('many first searches at once do not wait for each other for ever', async () => {
    const server = await startTestServer()
    const { root, raw } = await world(server)
    const answers = Promise.all(
      Array.from({ length: 40 }, async (_, number) => (await raw(root, `/v2/members?q=a${number}`)).status),
    )
    const outcome = await Promise.race([answers, Bun.sleep(20_000).then(() => 'no answer')])
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
        .select(['a.key', 'a.name', 'a.fields', 'm.search_text'])
        .executeTakeFirstOrThrow(),
    )
    await root.members.update({ id: bob.id, display_name: 'Secret Agent' })
    expect((await root.members.list({ q: 'secret agent' })).total_count).toBe(1)
    // What a restore does to this workspace.
    await engine.write(async (db) => {
      const { key, name, fields, search_text } = old
      await db.updateTable('authors').set({ name, fields }).where('key', '=', key).execute()
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

  test('of two that catch up at once, the later finds what the earlier need not know', async () => {
    const { server, root, ada, bob, workspaceKey } = await world()
    const { parley } = server
    await root.members.list({ q: 'ada' })
    const position = () => parley.engine.read((db) => findPosition(db, workspaceKey))
    const pausedUntil = (resumed: Promise<void>) =>
      parley.engine.read(
        async (db) =>
          new Proxy(db as object, {
            get(target, name) {
              const value = Reflect.get(target, name)
              if (name !== 'run') return typeof value === 'function' ? value.bind(target) : value
              return async (...args: unknown[]) => {
                await resumed
                return value.apply(target, args)
              }
            },
          }) as never,
      )
    const first = Promise.withResolvers<void>()
    const second = Promise.withResolvers<void>()
    await root.members.update({ id: bob.id, display_name: 'Zulu' })
    const zulu = parley.memberNames(await pausedUntil(first.promise), workspaceKey, await position(), 'zulu')
    await root.members.update({ id: ada.id, display_name: 'Yankee' })
    const yankee = parley.memberNames(await pausedUntil(second.promise), workspaceKey, await position(), 'yankee')
    first.resolve()
    expect((await zulu).indexes.length).toBe(1)
    second.resolve()
    const { members, indexes } = await yankee
    expect(Array.from(indexes, (index) => members[index]!.id)).toEqual([ada.id])
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
