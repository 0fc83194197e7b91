import { describe, expect, test } from 'bun:test'
import { sql } from 'kysely'
import { operations } from '../src/contract'
import type { EventType } from '../src/contract/event-types'
import type { Operation } from '../src/contract/operation'
import { isPersonal } from '../src/domain/events/effects'
import type { Running } from '../src/server'
import { insertPersonalEvents } from '../src/store/log/personal-events'
import { lockWorkspace } from '../src/store/people/workspaces'
import { createClient } from './client'
import { expectConsistent } from './consistency'
import { insertFile } from './insert-file'
import { calls } from './operations'
import { engineUnderTest, newMigratedDatabase, startTestServer } from './server'
import { world } from './world'

test('an operation is declared personal if all its events are', () => {
  const effectOf = (name: keyof typeof operations) => (operations[name] as Operation).effect
  for (const { name, events } of calls) {
    const types = Object.keys(events ?? {})
    if (types.length === 0 || effectOf(name) === 'adds') continue
    expect([name, effectOf(name) === 'personal']).toEqual([name, types.every(isPersonal)])
  }
})

describe('a personal change', () => {
  test('is in the log, in the order it happened, when its author reads the log', async () => {
    const { ada, bob, root, general, events } = await world()
    const post = await root.posts.create({ channel_id: general.id, content_markdown: 'Read me' })
    const { next_cursor: after } = await ada.events.list({ after: 'now' })
    const types: EventType[] = ['saved.updated', 'read.updated', 'follow.updated', 'draft.updated']
    for (let round = 0; round < 5; round++) {
      await ada.saved.set({ post_id: post.id, remind_at: new Date(Date.now() + (round + 1) * 1e9).toISOString() })
      await (round % 2 ? ada.reads.unset({ subject_id: post.id }) : ada.reads.set({ subject_id: post.id }))
      await ada.follows.set({ subject_id: post.id, level: round % 2 ? 'all' : 'none' })
      await ada.drafts.save({ subject_id: post.id, content_markdown: `Perhaps ${round}` })
      await ada.drafts.delete({ subject_id: post.id })
      const { data } = await ada.events.list({ after, types })
      expect(data.map(({ type }) => type).slice(-5)).toEqual([...types, 'draft.updated'])
    }
    expect((await bob.events.list({ after, types })).data).toEqual([])
    expect((await events()).filter((type) => types.includes(type as EventType))).toHaveLength(25)
  })

  test('of many members at once, beside comments, is neither lost nor told twice', async () => {
    const { ada, bob, vic, root, general, eventRows } = await world()
    const posts = await Promise.all(
      Array.from({ length: 6 }, (_, at) =>
        root.posts.create({ channel_id: general.id, content_markdown: `Post ${at}` }),
      ),
    )
    const before = (await eventRows()).length
    const work = [ada, bob, vic].flatMap((who) =>
      posts.map(async ({ id }) => {
        await who.reads.set({ subject_id: id })
        await who.follows.set({ subject_id: id, level: 'none' })
      }),
    )
    const comments = posts.map(({ id }) => root.comments.create({ post_id: id, content_markdown: 'Meanwhile' }))
    await Promise.all([...work, ...comments])
    const rows = (await eventRows()).slice(before)
    const count = (type: string) => rows.filter((row) => row.type === type).length
    expect(count('follow.updated')).toBe(18)
    expect(count('comment.created')).toBe(6)
    expect(new Set(rows.map(({ revision }) => revision)).size).toBe(rows.length)
  })
})

describe('drafts of two devices at once', () => {
  test('are both kept, if one of them has a file', async () => {
    const cast = await world()
    const { ada, general } = cast
    const subject_id = general.id
    const file = await insertFile(cast, ada)
    for (let round = 0; round < 10; round++) {
      const { version } = await ada.drafts.save({ subject_id, content_markdown: `Start ${round}` })
      await Promise.all([
        ada.drafts.save({ subject_id, content_markdown: `With ![a](${file})`, version }),
        ada.drafts.save({ subject_id, content_markdown: 'Without', version }),
      ])
      const { content_markdown, others } = await ada.drafts.get({ subject_id })
      const texts = [content_markdown, ...others.map((other) => other.content_markdown)]
      expect(texts.sort()).toEqual([`With ![a](${file})`, 'Without'])
      await ada.drafts.delete({ subject_id })
    }
  })

  test('are both kept, if there was none before', async () => {
    const cast = await world()
    const { ada, general } = cast
    const file = await insertFile(cast, ada)
    for (let round = 0; round < 10; round++) {
      const saves = ['Without', `With ![a](${file})`].map((content_markdown) =>
        ada.drafts.save({ subject_id: general.id, content_markdown }),
      )
      await Promise.all(saves)
      expect((await ada.drafts.get({ subject_id: general.id })).others).toHaveLength(1)
      await ada.drafts.delete({ subject_id: general.id })
    }
  })
})

describe('rights that are taken away meanwhile', () => {
  test('leave nothing behind of a mark on what was deleted', async () => {
    const { ada, bob, root, general, server } = await world()
    for (let round = 0; round < 10; round++) {
      const post = await root.posts.create({ channel_id: general.id, content_markdown: 'Soon gone' })
      await Promise.allSettled([
        ada.reads.set({ subject_id: post.id }),
        ada.saved.set({ post_id: post.id }),
        bob.follows.set({ subject_id: post.id, level: 'all' }),
        root.posts.delete({ id: post.id }),
        bob.saved.set({ post_id: post.id }),
        ada.follows.set({ subject_id: post.id, level: 'all' }),
      ])
    }
    const left = await server.parley.engine.read((db) =>
      db
        .selectFrom('saved_posts')
        .leftJoin('posts', 'posts.key', 'saved_posts.post_key')
        .where('posts.key', 'is', null)
        .select('saved_posts.post_key')
        .execute(),
    )
    expect(left).toEqual([])
  })
})

describe('many marks and comments of the same members', () => {
  test('wait for nobody, and the inboxes agree with what was read', async () => {
    const server = await startTestServer()
    const cast = await world(server)
    const { ada, bob, root, general } = cast
    const posts = await Promise.all(
      Array.from({ length: 4 }, (_, at) =>
        root.posts.create({ channel_id: general.id, content_markdown: `Post ${at}` }),
      ),
    )
    for (const who of [ada, bob, root]) await who.follows.set({ subject_id: general.id, level: 'all' })
    for (let round = 0; round < 6; round++)
      await Promise.all(
        posts.flatMap(({ id }) =>
          [ada, bob, root].flatMap((who) => [
            who.comments.create({ post_id: id, content_markdown: `Round ${round}` }),
            who.reads.set({ subject_id: id }),
            round % 2 ? who.reads.unset({ subject_id: id }) : who.reads.set({ subject_id: general.id }),
          ]),
        ),
      )
    await cast.fillInboxes()
    await expectConsistent(server)
    if (engineUnderTest === 'postgres') expect(await countDeadlocks(server)).toBe(0)
  }, 60_000)

  const countDeadlocks = async ({ parley }: Running) => {
    // The processes of PostgreSQL report their figures once a second.
    await Bun.sleep(1_100)
    const { rows } = await parley.engine.write((db) =>
      sql<{ deadlocks: number }>`SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()`.execute(db),
    )
    return Number(rows[0]!.deadlocks)
  }
})

/** SQLite has one writer. */
if (engineUnderTest === 'postgres')
  describe('beside the changes of the workspace, a personal change', () => {
    test('does not wait for a change of the workspace that takes long', async () => {
      const server = await startTestServer({ DATABASE_POOL: '8' })
      const { ada, root, general, workspaceKey } = await world(server)
      const post = await root.posts.create({ channel_id: general.id, content_markdown: 'Read me' })
      const { engine } = server.parley
      const { promise: hold, resolve: release } = Promise.withResolvers<void>()
      const { promise: locked, resolve: onLocked } = Promise.withResolvers<void>()
      const holding = engine.writeAlone(async (db) => {
        await lockWorkspace(db, workspaceKey)
        onLocked()
        await hold
      })
      await locked
      await ada.reads.set({ subject_id: post.id })
      await ada.saved.set({ post_id: post.id })
      await ada.follows.set({ subject_id: post.id, level: 'all' })
      await ada.drafts.save({ subject_id: post.id, content_markdown: 'Perhaps' })
      expect((await ada.unread.posts({ ids: [post.id] })).data).toMatchObject([{ is_unread: false }])
      release()
      await holding
    })

    test('is in the log before a later one of its author that needs the lock, on another node', async () => {
      const database = await newMigratedDatabase()
      const start = () => startTestServer({ DATABASE_URL: database.url, DATABASE_POOL: '8' })
      const nodes = [await start(), await start()] as const
      const cast = await world(nodes[0])
      const { ada, root, general, workspaceKey } = cast
      const there = createClient({ baseUrl: nodes[1].url, token: ada.token })
      const post = await root.posts.create({ channel_id: general.id, content_markdown: 'Read me' })
      const file = await insertFile(cast, ada)
      const { next_cursor: after } = await ada.events.list({ after: 'now' })
      const { promise: hold, resolve: release } = Promise.withResolvers<void>()
      const { promise: locked, resolve: onLocked } = Promise.withResolvers<void>()
      const holding = nodes[0].parley.engine.writeAlone(async (db) => {
        await lockWorkspace(db, workspaceKey)
        onLocked()
        await hold
      })
      await locked
      // The events of this node wait for this comment, which waits for the workspace.
      const commenting = root.comments.create({ post_id: post.id, content_markdown: 'First' })
      await Bun.sleep(50)
      const { version } = await ada.drafts.save({ subject_id: post.id, content_markdown: 'Perhaps' })
      const saving = there.drafts.save({ subject_id: post.id, content_markdown: `![a](${file})`, version: version - 1 })
      await Bun.sleep(200)
      release()
      await Promise.all([holding, commenting, saving])
      for (const node of nodes) await node.parley.personalEvents.settled()
      const { data } = await ada.events.list({ after, types: ['draft.updated'] })
      expect(data.map((event) => (event.data as { version: number }).version)).toEqual([
        version,
        (await saving).version,
      ])
      for (const node of nodes) await node.stop()
    })

    test.each(['starts', 'runs'])(
      'of a process that was killed is appended when another %s',
      async (how) => {
        const database = await newMigratedDatabase()
        const first = await startTestServer({ DATABASE_URL: database.url })
        const { ada, workspaceKey } = await world(first)
        const [author] = await first.parley.engine.read((db) =>
          db.selectFrom('authors').where('id', '=', ada.id).select('key').execute(),
        )
        // What is left if a process ends after the commit of the change, and before that of its events.
        await first.parley.engine.write((db) =>
          insertPersonalEvents(db, [
            {
              ...{ workspace_key: workspaceKey, revision: 0, nonce: 7, type: 'read.updated', actor_key: author!.key },
              ...{
                channel_key: 0,
                thread_key: 0,
                recipients: `,${author!.key},`,
                named: '',
                named_groups: '',
                via: null,
              },
              ...{ created_at: Date.now(), data: '{"subject_id":null}', subject_id: '', is_redacted: false },
            },
          ]),
        )
        const second = how === 'starts' ? await startTestServer({ DATABASE_URL: database.url }) : undefined
        await second?.parley.personalEvents.appendLeftovers()
        const list = () => ada.events.list({ types: ['read.updated'] })
        for (let tries = 0; tries < 100 && (await list()).data.length === 0; tries++) await Bun.sleep(100)
        expect((await list()).data).toMatchObject([{ type: 'read.updated', data: { subject_id: null } }])
        await second?.stop()
        await first.stop()
      },
      20_000,
    )
  })
