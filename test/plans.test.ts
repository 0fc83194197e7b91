import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { sql } from 'kysely'
import type { Page } from '../src/contract/shapes'
import type { Running } from '../src/server'
import { findGrowing, indexedPlanOf, planOf, type Statement } from './plans'
import { engineUnderTest, startTestServer } from './server'
import { type Person, type World, world } from './world'

const POSTS_IN_A_CHANNEL = 4_000
const MANY = 20_000
const WORDS = 'Some words. '.repeat(40)

let server: Running
let cast: World
let secret: { id: string }
let post: { id: string }
let comment: { id: string }
let thread: { id: string }
let group: { id: string }
let statements: Statement[] = []

beforeAll(async () => {
  // Cached rows are not read, so they have no plan.
  server = await startTestServer(
    { CACHE_MB: '0' },
    { onStatement: (text, values) => void statements.push({ sql: text, values }) },
  )
  // Its statements would come between the statements of a request.
  await server.inboxFiller()!.close()
  cast = await world(server)
  const { root, ada, gus, general } = cast
  secret = await root.channels.create({ name: 'secret', private: true })
  for (const { id } of [general, secret]) await root.channels.addMember({ channel_id: id, member_id: gus.id })
  await root.channels.addMember({ channel_id: secret.id, member_id: ada.id })
  for (const name of ['one', 'two', 'three']) await root.channels.create({ name })
  post = await ada.posts.create({ channel_id: general.id, content_markdown: 'Much discussed' })
  comment = await ada.comments.create({ post_id: post.id, content_markdown: 'Much answered' })
  thread = await ada.threads.create({ member_ids: [gus.id] })
  group = await root.groups.create({ name: 'design' })
  for (const { id } of [ada, gus]) await root.groups.addMember({ group_id: group.id, member_id: id })
  await fill()
})
afterAll(() => server.stop())

/** Inserts enough rows for the planner to prefer an index. Counters are not updated; they do not matter here. */
async function fill() {
  const { engine } = server.parley
  const key = (table: 'posts' | 'comments' | 'threads' | 'authors', id: string) =>
    engine.read(async (db) => (await db.selectFrom(table).where('id', '=', id).select('key').executeTakeFirst())!.key)
  const author = await key('authors', cast.ada.id)
  const commented = await key('posts', post.id)
  const answered = await key('comments', comment.id)
  const discussed = await key('threads', thread.id)
  const workspace = cast.workspaceKey
  const rows = (count: number) =>
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count}) INSERT INTO`
  const channels = await engine.read((db) =>
    db.selectFrom('channels').where('workspace_key', '=', workspace).select(['key', 'is_listed']).execute(),
  )
  const run = (text: string) => engine.write((db) => sql.raw(text).execute(db))
  await run(`DELETE FROM author_posts WHERE workspace_key = ${workspace}`)
  await run(`INSERT INTO author_posts (workspace_key, author_key, channel_key, posts_count)
    SELECT workspace_key, ${author}, key, 1 FROM channels WHERE workspace_key = ${workspace}`)
  for (const { key: channel, is_listed } of channels)
    await run(`${rows(POSTS_IN_A_CHANNEL)} posts (id, workspace_key, channel_key, author_key, published_at,
      is_listed, is_resolved, resolved_at, resolved_by_key, title, content, markdown)
      SELECT 'post_' || (${channel} * 10000000 + i), ${workspace}, ${channel}, ${author}, 1000 * i + ${channel},
      ${is_listed ? 1 : 0}, CASE WHEN i % 3 = 0 THEN 1 ELSE 0 END,
      CASE WHEN i % 3 = 0 THEN 1000 * i END, CASE WHEN i % 3 = 0 THEN ${author} ELSE 0 END, 't', 'c', 'm' FROM n`)
  await run(`INSERT INTO post_activity
    (post_key, post_id, workspace_key, channel_key, author_key, is_listed, is_resolved, last_activity_at)
    SELECT key, id, workspace_key, channel_key, author_key, is_listed, is_resolved, 1000 * (key * 7919 % 4001) FROM posts
    WHERE key > ${commented}`)
  await run(`${rows(MANY)} comments (id, workspace_key, post_key, parent_key, author_key, created_at, content, markdown)
    SELECT 'cmt_' || (10000000 + i), ${workspace}, ${commented}, CASE WHEN i % 2 = 0 THEN ${answered} ELSE 0 END,
    ${author}, i / 3, '${WORDS}', 'm' FROM n`)
  await run(`${rows(MANY)} messages (id, workspace_key, thread_key, author_key, created_at, updated_at, content, markdown)
    SELECT 'msg_' || (10000000 + i), ${workspace}, ${discussed}, ${author}, i / 3, i, '${WORDS}', 'm' FROM n`)
  const general = await engine.read(
    async (db) =>
      (await db.selectFrom('channels').where('id', '=', cast.general.id).select('key').executeTakeFirst())!.key,
  )
  await run(`INSERT INTO blobs (workspace_key, hash, object, size, created_at) VALUES (${workspace}, 'h', 'o', 1, 0)`)
  await run(`${rows(MANY)} files (id, workspace_key, author_key, blob_key, name, content_type, size, created_at, is_shared,
    references_count) SELECT 'file_' || (10000000 + i), ${workspace}, ${author}, (SELECT key FROM blobs WHERE object = 'o'), 'n',
    'text/plain', 1, i, 1, 1 FROM n`)
  await run(`INSERT INTO file_places (workspace_key, channel_key, thread_key, file_key, file_id, shared_at, references_count)
    SELECT ${workspace}, CASE WHEN key % 2 = 0 THEN ${general} ELSE 0 END, CASE WHEN key % 2 = 0 THEN 0 ELSE ${discussed} END,
    key, id, created_at, 1 FROM files WHERE workspace_key = ${workspace}`)
  const ofText =
    engineUnderTest === 'postgres'
      ? { columns: ', vector, title_words, content_words', values: ", '', '', ''" }
      : { columns: '', values: '' }
  await run(`INSERT INTO search_documents (key, workspace_key, type, record_key, place_key, post_key, created_at, title_signature${ofText.columns})
    SELECT -key, workspace_key, 1, key, channel_key, key, published_at, 0${ofText.values} FROM posts WHERE key > ${commented}`)
  if (engineUnderTest === 'postgres') await run('ANALYZE')
}

/** The SELECT statements of a request, without the authentication of the caller. */
async function statementsOf<T>(ask: () => Promise<T>): Promise<{ answer: T; statements: Statement[] }> {
  await server.parley.presence.settled()
  statements = []
  const answer = await ask()
  return {
    answer,
    statements: statements.filter(
      (each) => /^(select|with)/i.test(each.sql) && !/"tokens" as "t"|"access_revision"/.test(each.sql),
    ),
  }
}

type Ask = (after?: string) => Promise<Page<unknown>>

/** Expects the plans of the first, second, previous and a middle page not to grow with the table. */
async function expectFlat(ask: Ask, tables: string[]): Promise<number> {
  const first = await statementsOf(() => ask())
  const second = await statementsOf(() => ask(first.answer.next_cursor!))
  const third = await statementsOf(() => ask(second.answer.next_cursor!))
  const back = await statementsOf(() => ask(third.answer.prev_cursor!))
  const deep = second.statements.map((statement) => toMiddle(statement, first.answer.next_cursor!))

  for (const statement of [...first.statements, ...second.statements, ...back.statements, ...deep])
    expect({ statement, findGrowing: findGrowing(await planOf(server, statement), tables) }).toEqual({
      statement,
      findGrowing: [],
    })
  const counts = [first, second, third, back].map(({ statements }) => statements.length)
  // The visible channels are cached until something changes.
  expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1)
  return Math.max(...counts)
}

/** The same statement for a page in the middle of the list. */
function toMiddle({ sql: text, values }: Statement, cursor: string): Statement {
  const [, , , at] = JSON.parse(Buffer.from(cursor, 'base64url').toString().slice(8)) as [0, 0, 0, number]
  const middle = at > 1e12 ? at - 1 : 1000 * (POSTS_IN_A_CHANNEL / 2)
  return { sql: text, values: values.map((value) => (value === at ? middle : value)) }
}

describe('a page of posts reads only its rows from an index, in at most three statements', () => {
  const viewers = ['root', 'ada', 'vic', 'gus', 'bot'] as const
  const places = { 'all channels': undefined, 'one channel': 'general', 'a private channel': 'secret' } as const
  for (const sort of ['published_at', 'last_activity_at'] as const)
    for (const direction of ['asc', 'desc'] as const)
      for (const [where, name] of Object.entries(places))
        for (const resolved of [undefined, true, false]) {
          const filter = resolved === undefined ? '' : `, resolved=${resolved}`
          test(`${sort} ${direction}, ${where}${filter}`, async () => {
            const channel_id = name === 'general' ? cast.general.id : name === 'secret' ? secret.id : undefined
            for (const who of name === 'secret' ? (['ada', 'gus'] as const) : viewers) {
              const list: Ask = (after) => cast[who].posts.list({ sort, direction, channel_id, resolved, after })
              expect(await expectFlat(list, ['posts', 'p'])).toBeLessThanOrEqual(3)
            }
          })
        }
})

describe('a page of the posts of an author reads only its rows from an index', () => {
  for (const sort of ['published_at', 'last_activity_at'] as const)
    for (const resolved of [undefined, true])
      test(`${sort}${resolved === undefined ? '' : `, resolved=${resolved}`}`, async () => {
        for (const who of ['root', 'ada', 'vic'] as const) {
          const list: Ask = (after) => cast[who].posts.list({ sort, author_id: cast.ada.id, resolved, after })
          expect(await expectFlat(list, ['posts', 'p'])).toBeLessThanOrEqual(4)
        }
      })
})

test('when channels were last active is read from the ends of an index', async () => {
  const ask = await statementsOf(() => cast.ada.channels.list())
  const sorted = await statementsOf(() => cast.ada.channels.list({ sort: 'last_activity_at', direction: 'desc' }))
  for (const statement of [...ask.statements, ...sorted.statements]) {
    const plan = await planOf(server, statement)
    expect(plan.filter((line) => /^(SCAN posts\b|(Seq|Bitmap Heap) Scan on posts)/.test(line))).toEqual([])
  }
  const channels = (ask.answer as Page<{ id: string; last_activity_at: string | null }>).data
  expect(channels.find(({ id }) => id === cast.general.id)!.last_activity_at).not.toBeNull()
})

describe('a page reads only its rows from an index', () => {
  const lists: Record<string, { ask(who: Person, after?: string): Promise<Page<unknown>>; tables: string[] }> = {
    'all comments of a post': {
      ask: (who, after) => who.comments.list({ post_id: post.id, after }),
      tables: ['comments', 'm', 'posts', 'p'],
    },
    'comments at the top, newest first': {
      ask: (who, after) => who.comments.list({ post_id: post.id, parent_id: 'root', direction: 'desc', after }),
      tables: ['comments', 'm', 'posts', 'p'],
    },
    'the replies of a comment': {
      ask: (who, after) => who.comments.list({ post_id: post.id, parent_id: comment.id, after }),
      tables: ['comments', 'm', 'posts', 'p'],
    },
    'the files of a channel': {
      ask: (who, after) => who.files.list({ channel_id: cast.general.id, after }),
      tables: ['files', 'f', 'file_places'],
    },
    'the files of a thread, oldest first': {
      ask: (who, after) => who.files.list({ thread_id: thread.id, direction: 'asc', after }),
      tables: ['files', 'f', 'file_places'],
    },
    'messages, newest first': {
      ask: (who, after) => who.messages.list({ thread_id: thread.id, after }),
      tables: ['messages', 'm'],
    },
    'messages, oldest first': {
      ask: (who, after) => who.messages.list({ thread_id: thread.id, direction: 'asc', after }),
      tables: ['messages', 'm'],
    },
  }
  for (const [name, { ask, tables }] of Object.entries(lists))
    test(name, async () => {
      await expectFlat((after) => ask(cast.ada, after), tables)
    })
})

test('whether someone can see a file is looked up by keys', async () => {
  const tables = ['files', 'f', 'file_places', 'place', 'file_references', 'draft', 'blobs', 'b']
  for (const who of ['root', 'ada', 'gus'] as const)
    for (const id of ['file_10000001', 'file_10000002', 'file_10000003']) {
      const ask = await statementsOf(() => cast[who].files.get({ id }).catch(() => undefined))
      for (const statement of ask.statements)
        expect({ statement, growing: findGrowing(await indexedPlanOf(server, statement), tables) }).toEqual({
          statement,
          growing: [],
        })
    }
})

describe('pinned and saved posts are read from their indexes, in order', () => {
  const lists: Record<string, (input: { limit?: number; after?: string }) => Promise<Page<unknown>>> = {
    'pins.list': (input) => cast.ada.pins.list({ channel_id: cast.general.id, ...input }),
    'saved.list': (input) => cast.ada.saved.list(input),
    'saved.list, with reminders': (input) => cast.ada.saved.list({ reminders: true, ...input }),
  }
  beforeAll(async () => {
    const { data } = await cast.ada.posts.list({ channel_id: cast.general.id, limit: 5 })
    const remind_at = new Date(Date.now() + 1e9).toISOString()
    for (const { id: post_id } of data) {
      await cast.ada.pins.set({ post_id })
      await cast.ada.saved.set({ post_id, remind_at })
    }
    // Others' rows, so that an index is worth it.
    await server.parley.engine.write((db) =>
      sql
        .raw(`INSERT INTO saved_posts (author_key, post_key, post_id, workspace_key, saved_at)
        SELECT author_key, key, posts.id, posts.workspace_key, key FROM posts WHERE key NOT IN (SELECT post_key FROM saved_posts)`)
        .execute(db),
    )
    if (engineUnderTest === 'postgres') await server.parley.engine.write((db) => sql`ANALYZE`.execute(db))
  })
  for (const [name, ask] of Object.entries(lists))
    test(name, async () => {
      const first = await statementsOf(() => ask({ limit: 2 }))
      const second = await statementsOf(() => ask({ limit: 2, after: first.answer.next_cursor! }))
      for (const statement of [...first.statements, ...second.statements]) {
        const plan = await indexedPlanOf(server, statement)
        expect(plan.filter((line) => /SCAN (p|s|pins)\b|Seq Scan on (posts|saved_posts)|B-TREE/.test(line))).toEqual([])
      }
    })
})

describe('the id of a record is looked up in an index, in one statement', () => {
  const lists: Record<string, { ask(after?: string): Promise<Page<unknown>>; record(): string }> = {
    posts: {
      ask: (after) => cast.ada.posts.list({ after }),
      record: () => post.id,
    },
    'posts of an author': {
      ask: (after) => cast.gus.posts.list({ author_id: cast.ada.id, sort: 'last_activity_at', after }),
      record: () => post.id,
    },
    comments: {
      ask: (after) => cast.ada.comments.list({ post_id: post.id, parent_id: 'root', after }),
      record: () => comment.id,
    },
    threads: {
      ask: (after) => cast.ada.threads.list({ after }),
      record: () => thread.id,
    },
    members: {
      ask: (after) => cast.ada.members.list({ sort: 'last_seen_at', after }),
      record: () => cast.bob.id,
    },
    groups: {
      ask: (after) => cast.ada.groups.list({ after }),
      record: () => group.id,
    },
    'members of a group': {
      ask: (after) => cast.ada.groups.members({ group_id: group.id, after }),
      record: () => cast.gus.id,
    },
    'members of a channel': {
      ask: (after) => cast.ada.channels.members({ channel_id: cast.general.id, after }),
      record: () => cast.gus.id,
    },
  }
  for (const [name, { ask, record }] of Object.entries(lists))
    test(name, async () => {
      const whole = await statementsOf(() => ask())
      const after = await statementsOf(() => ask(record()))
      const added = after.statements.filter((statement) => / AS r JOIN /.test(statement.sql))
      expect(added).toHaveLength(1)
      // A list of rows that is empty also asks what is before it.
      expect(after.statements.length - whole.statements.length).toBeLessThanOrEqual(2)
      const plan = await planOf(server, added[0]!)
      expect(plan.filter((line) => /^SCAN|Seq Scan on (posts|comments)/.test(line))).toEqual([])
    })

  test('messages around one', async () => {
    const middle = await cast.ada.messages.create({ thread_id: thread.id, content_markdown: 'In the middle' })
    const ask = await statementsOf(() => cast.ada.messages.list({ thread_id: thread.id, around: middle.id }))
    expect(ask.statements.length).toBeLessThanOrEqual(5)
    for (const statement of ask.statements)
      expect({ statement, growing: findGrowing(await planOf(server, statement), ['messages', 'm', 'r', 'l']) }).toEqual(
        {
          statement,
          growing: [],
        },
      )
  })
})

describe('reactions are read by keys, however many people reacted to one post', () => {
  beforeAll(async () => {
    const { engine } = server.parley
    const { ada, bob } = cast
    for (const emoji of ['👍', '🎉']) await ada.reactions.add({ subject_id: post.id, emoji })
    await bob.reactions.add({ subject_id: post.id, emoji: '👍' })
    const run = (text: string) => engine.write((db) => sql.raw(text).execute(db))
    await run(`INSERT INTO authors (workspace_key, id, type, name, avatar, visibility_hash)
      SELECT workspace_key, 'mem_r' || key, 'member', 'n', 'a', '' FROM posts
      WHERE key IN (SELECT key FROM posts ORDER BY key LIMIT 10000)`)
    await run(`INSERT INTO reactions (workspace_key, subject_type, subject_key, author_key, emoji, created_at)
      SELECT ${cast.workspaceKey}, 1, p.key, a.key, '👍', 1 FROM authors a JOIN posts p ON p.id = '${post.id}'
      WHERE a.id LIKE 'mem_r%'`)
    await run(`UPDATE reaction_counts SET reactions_count = 10002 WHERE emoji = '👍'`)
    if (engineUnderTest === 'postgres') await run('ANALYZE')
  })

  const tables = ['reactions', 'r', 'reaction_counts', 'n', 'posts', 'p', 'authors', 'a', 'record']
  const requests: Record<string, () => Promise<unknown>> = {
    'reactions.list': () => cast.ada.reactions.list({ ids: [post.id, comment.id] }),
    'posts.get': () => cast.ada.posts.get({ id: post.id }),
    'reactions.listOfSubject': () => cast.ada.reactions.listOfSubject({ subject_id: post.id, limit: 5 }),
    'reactions.listOfSubject of one emoji': () =>
      cast.ada.reactions.listOfSubject({ subject_id: post.id, emoji: '👍' }),
  }
  for (const [name, ask] of Object.entries(requests))
    test(name, async () => {
      const { statements } = await statementsOf(ask)
      expect(statements.length).toBeLessThanOrEqual(4)
      for (const statement of statements)
        expect({ statement, growing: findGrowing(await indexedPlanOf(server, statement), tables) }).toEqual({
          statement,
          growing: [],
        })
    })
})

describe('a search reads only what it finds, by keys, in at most ten statements', () => {
  const queries = [
    'zebra',
    '"a zebra"',
    'zeb* -horse',
    'title:zebra',
    'zebra is:open',
    'zebra from:me',
    'is:comment',
    'zebra after:2020',
    'before:2099',
    '',
  ]
  const tables = ['posts', 'p', 'comments', 'm', 'messages', 'search_documents', 'd']

  beforeAll(async () => {
    const { ada, gus } = cast
    for (let made = 0; made < 5; made++) {
      await ada.posts.create({ channel_id: secret.id, title: `Zebra ${made}`, content_markdown: 'A zebra' })
      await ada.comments.create({ post_id: post.id, content_markdown: 'A zebra' })
      await gus.messages.create({ thread_id: thread.id, content_markdown: 'A zebra' })
      await gus.comments.create({ post_id: post.id, content_markdown: 'A zebra' })
    }
  })

  for (const q of queries)
    for (const sort of ['relevance', 'created_at'] as const)
      test(`${JSON.stringify(q)} by ${sort}`, async () => {
        for (const who of [cast.ada, cast.gus]) {
          const ask = (after?: string) => statementsOf(() => who.search.list({ q, sort, limit: 1, after }))
          const first = await ask()
          const second = await ask(first.answer.next_cursor!)
          const back = await ask(second.answer.prev_cursor!)
          expect(back.answer.data).toEqual(first.answer.data)
          for (const page of [first, second, back]) expect(page.statements.length).toBeLessThanOrEqual(10)
          for (const statement of [first, second, back].flatMap((page) => page.statements))
            expect({ statement, growing: findWholeReads(await planOf(server, statement), tables) }).toEqual({
              statement,
              growing: [],
            })
        }
      })
})

describe('inboxes, and what is unread, are read by keys, whatever the number of posts and entries', () => {
  const tables = [
    'posts',
    'p',
    'comments',
    'm',
    'messages',
    'inbox_entries',
    'read_positions',
    'follows',
    'own',
    'e',
    'x',
    'n',
    'events',
    'drafts',
    'record',
  ]
  const requests: Record<string, (who: Person) => Promise<unknown>> = {
    'unread.get': (who) => who.unread.get(),
    'unread.posts': (who) => who.unread.posts({ ids: [post.id] }),
    'unread.threads': (who) => who.unread.threads({ ids: [thread.id] }),
    'drafts.list': (who) => who.drafts.list(),
    'inbox.list': (who) => who.inbox.list(),
    'inbox.list of unread entries': (who) => who.inbox.list({ unread: true }),
    'inbox.list of archived entries': (who) => who.inbox.list({ archived: true }),
    'inbox.list of mentions': (who) => who.inbox.list({ about: ['mention'] }),
    'reads.set of a post': async (who) => {
      await cast.root.comments.create({ post_id: post.id, content_markdown: 'News' })
      await who.reads.set({ subject_id: post.id })
    },
    'reads.set of a post up to a comment': async (who) => {
      const comment = await cast.root.comments.create({ post_id: post.id, content_markdown: 'News' })
      await cast.root.comments.create({ post_id: post.id, content_markdown: 'Later' })
      await who.reads.set({ subject_id: post.id, up_to_id: comment.id })
    },
    'reads.setAll': (who) => who.reads.setAll(),
  }

  beforeAll(async () => {
    const { engine } = server.parley
    const run = (text: string) => engine.write((db) => sql.raw(text).execute(db))
    await run('UPDATE post_activity SET activity_revision = post_key, own_revision = post_key')
    await run('UPDATE comments SET revision = key')
    await run('UPDATE messages SET revision = key')
    for (const id of [cast.ada.id, cast.gus.id]) {
      await run(`INSERT INTO inbox_entries (author_key, about, kind, subject_key, workspace_key, channel_key, is_marked_unread,
        id, revision, at, reason, actor_key, item_key)
        SELECT a.key, 'activity', 1, p.key, p.workspace_key, p.channel_key, CASE WHEN p.key % 100 = 0 THEN 1 ELSE 0 END,
        'inb_' || a.id || p.key, p.key, 0, 'comment', a.key, 0
        FROM posts AS p JOIN authors AS a ON a.id = '${id}' WHERE true ON CONFLICT DO NOTHING`)
      await run(`INSERT INTO follows (author_key, kind, subject_key, level) SELECT a.key, 1, p.key, 1
        FROM posts AS p JOIN authors AS a ON a.id = '${id}' WHERE true ON CONFLICT DO NOTHING`)
      await run(`INSERT INTO read_positions (author_key, kind, subject_key, channel_key, revision, is_marked_unread)
        SELECT a.key, 1, p.key, p.channel_key, 0, CASE WHEN p.key % 100 = 0 THEN 1 ELSE 0 END
        FROM posts AS p JOIN authors AS a ON a.id = '${id}' WHERE true ON CONFLICT DO NOTHING`)
    }
    const places = [cast.general.id, post.id, comment.id, thread.id]
    // The members that a guest sees are found by all channels and threads of the guest.
    for (const [id, ids] of [
      [cast.ada.id, [...places, cast.bob.id]],
      [cast.gus.id, places],
    ] as const)
      for (const subjectId of ids)
        await run(`INSERT INTO drafts (workspace_key, author_key, subject_id, title, content_markdown, version, updated_at, announced_at)
          SELECT workspace_key, key, '${subjectId}', '', 'I thi', 1, 1, 0 FROM authors WHERE id = '${id}'`)
    await run(`INSERT INTO drafts (workspace_key, author_key, subject_id, title, content_markdown, version, updated_at, announced_at)
      SELECT p.workspace_key, a.key, p.id, '', 'I thi', p.key, p.key, 0 FROM posts AS p JOIN authors AS a ON a.id = '${cast.vic.id}'`)
    if (engineUnderTest === 'postgres') await run('ANALYZE')
  })

  for (const [name, ask] of Object.entries(requests))
    test(name, async () => {
      for (const who of [cast.ada, cast.gus]) {
        const { statements: read } = await statementsOf(() => ask(who))
        for (const statement of read)
          expect({
            statement,
            growing: findGrowing(await planOf(server, statement), tables).filter((line) => !isOfPage(statement, line)),
          }).toEqual({ statement, growing: [] })
      }
    })

  /**
   * The first entries of each channel are sorted to find those of the page, and who wrote the first 100 new comments is counted.
   * test/inbox/many.test.ts compares few entries and many.
   */
  const isOfPage = ({ sql: text }: Statement, line: string) =>
    text.includes('FROM sources') && /^(USE TEMP B-TREE FOR ORDER BY|Sort +of \d+ rows)$/.test(line)
      ? true
      : text.includes('AS others_count') && line === 'USE TEMP B-TREE FOR count(DISTINCT)'

  test('to read a channel or everything looks at no entry that is read already', async () => {
    const { root, ada, general } = cast
    const run = (text: string) => server.parley.engine.write((db) => sql.raw(text).execute(db))
    await run('UPDATE inbox_entries SET is_read = 1, is_marked_unread = 0, archived_at = 1')
    await run('UPDATE read_positions SET is_marked_unread = 0')
    if (engineUnderTest === 'postgres') await run('ANALYZE')
    for (const read of [() => ada.reads.set({ subject_id: general.id }), () => ada.reads.setAll()]) {
      await root.comments.create({ post_id: post.id, content_markdown: 'News' })
      statements = []
      await read()
      const updates = statements.filter(({ sql: text }) =>
        /^update "(inbox_entries|read_positions)" set "is_marked_unread"/i.test(text),
      )
      expect(updates).not.toEqual([])
      for (const statement of updates)
        expect(
          (await planOf(server, statement)).filter((line) => /inbox_entries|read_positions/.test(line)).join(),
        ).toMatch(/using (covering )?(index )?(inbox_entries|read_positions)_marked/i)
    }
  })
})

/** What grows, or reads all rows of a workspace. What is read by the lexemes it has does not grow with the table. */
const findWholeReads = (plan: readonly string[], tables: readonly string[]) => [
  ...findGrowing(plan, tables).filter((line) => line !== 'Bitmap Heap Scan on search_documents' || !isByLexemes(plan)),
  ...plan.filter((line) => /^SEARCH (p|m|d) .*\(workspace_key=\?\)$/.test(line)),
]

const isByLexemes = (plan: readonly string[]) => plan.includes('Bitmap Index Scan using search_documents_vector')

test('a plan without an index is reported', async () => {
  const bare = { sql: 'SELECT markdown FROM posts ORDER BY markdown LIMIT 5', values: [] }
  expect(findGrowing(await planOf(server, bare), ['posts'])).not.toEqual([])
})

if (engineUnderTest === 'sqlite')
  test('a member of more private channels than one SQLite statement can merge gets their page', async () => {
    const { root, ada } = await world(server)
    const channels = await Promise.all(
      Array.from({ length: 300 }, (_, at) => root.channels.create({ name: `private ${at}`, private: true })),
    )
    await Promise.all(channels.map(({ id }) => root.channels.addMember({ channel_id: id, member_id: ada.id })))
    const posts = await Promise.all(
      channels.map(({ id }) => ada.posts.create({ channel_id: id, content_markdown: 'Hello' })),
    )

    const seen: string[] = []
    for (let after: string | null | undefined; after !== null; ) {
      const page = await ada.posts.list({ after })
      expect(page.total_count).toBe(300)
      seen.push(...page.data.map(({ id }) => id))
      after = page.next_cursor
    }
    expect(seen).toEqual(
      posts.sort((a, b) => b.created_at.localeCompare(a.created_at) || (a.id < b.id ? 1 : -1)).map(({ id }) => id),
    )
  }, 300_000)
