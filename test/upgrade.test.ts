import { expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync, statSync } from 'node:fs'
import pg from 'pg'
import type { Comment } from '../src/contract/comments'
import type { Post } from '../src/contract/posts'
import type { Page } from '../src/contract/shapes'
import { timestamp } from '../src/domain/timestamps'
import { runChecks } from '../src/store/checks/consistency'
import { openEngine } from '../src/store/open'
import { schemaVersion } from '../src/store/schema/migrations'
import { parley, start } from './command'
import { picture } from './me/pictures'
import { fillVersion10, migrateBefore, ODD, TOKEN } from './old-version'
import { engineUnderTest, newDatabase, startTestServer } from './server'

setDefaultTimeout(600_000)

async function newVersion10(posts: number) {
  const database = await newDatabase()
  const engine = openEngine(database.url)
  const image = await (await picture('webp', [512, 512])).bytes()
  await migrateBefore(engine, 11, async (db) => {
    await fillVersion10(db, posts)
    const name = PICTURE
    await db.insertInto('pictures').values({ name, workspace_key: 1, author_key: 1, created_at: 1, image }).execute()
  })
  await engine.close()
  return database
}

const PICTURE = `pic_${'0a'.repeat(16)}`
const HTML = `<p>${ODD}</p>`
const TIME = 1_700_000_000_000

test('a database of version 10 is upgraded, and all its records stay the same', async () => {
  const { url, drop } = await newVersion10(120)
  const server = await startTestServer({ DATABASE_URL: url })
  const get = async <T>(path: string): Promise<T> => {
    const response = await fetch(`${server.url}${path}`, { headers: { Authorization: `Bearer ${TOKEN}` } })
    expect(response.status).toBe(200)
    return response.json() as Promise<T>
  }

  const { data, total_count } = await get<Page<Post>>('/v2/posts')
  expect([data.length, total_count]).toEqual([50, 120])
  const post = await get<Post>('/v2/posts/post_1000120')
  expect(post).toEqual(data[0]!)
  const author = post.author
  expect(author).toMatchObject({ name: 'Ada Lovelace', id: 'mem_ada', type: 'member' })
  expect(author.avatar_urls.xl).toBe(`${server.url}/avatars/64/3-AL.svg`)
  const resolver = post.resolution!.resolved_by
  expect(resolver.name).toBe('Žoé "Z" 漢')
  expect((await fetch(resolver.avatar_urls.sm)).status).toBe(200)
  expect(post).toEqual({
    id: 'post_1000120',
    title: `Title 120 ${ODD}`,
    created_at: timestamp(TIME + 120),
    last_activity_at: timestamp(TIME + 240),
    url: `${server.url}/posts/post_1000120`,
    content: HTML,
    comments_count: 3,
    channel: { id: 'chan_1', name: 'odd "channel"' },
    author,
    resolution: {
      resolved_at: timestamp(TIME + 360),
      resolved_html: HTML,
      resolved_by: resolver,
      resolved_comment: {
        id: 'cmt_1000036',
        content: HTML,
        created_at: timestamp(TIME + 36),
        replies_count: 0,
        parent_id: null,
        subject_id: 'post_1000120',
        subject_type: 'post',
        author,
      },
    },
  })
  expect((await get<Post>('/v2/posts/post_1000119')).resolution).toBeNull()
  expect((await get<Post>('/v2/posts/post_1000117')).resolution!.resolved_html).toBeNull()

  const comments = (await get<Page<Comment>>('/v2/posts/post_1000040/comments')).data
  expect(comments.map(({ id, parent_id, replies_count }) => [id, parent_id, replies_count])).toEqual([
    ['cmt_1000010', null, 1],
    ['cmt_1000011', 'cmt_1000010', 0],
    ['cmt_1000012', null, 0],
  ])
  expect(comments.map(({ content }) => content)).toEqual(['', HTML, HTML])
  const messages = (await get<Page<{ id: string }>>('/v2/threads/thr_1/messages')).data
  expect(messages[0]).toMatchObject({
    ...{ id: 'msg_2', content: HTML, parent_id: 'msg_1', thread_id: 'thr_1' },
    ...{ created_at: timestamp(TIME + 2), updated_at: timestamp(TIME + 20) },
  })
  expect(await get<object>('/v2/threads/thr_1')).toMatchObject({ last_message_at: timestamp(TIME + 2) })
  const members = (await get<Page<{ user: object }>>('/v2/members')).data
  expect(members[1]!.user).toMatchObject({ id: 'user_2', email: 'zoe@example.com', display_name: 'Žoé "Z" 漢' })

  expect((await fetch(`${server.url}/avatars/40/${PICTURE}.webp`)).status).toBe(200)

  // Keys continue, and all counters and copied columns are correct.
  const written = await fetch(`${server.url}/v2/posts`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${TOKEN}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ channel_id: 'chan_1', content_markdown: 'New' }),
  })
  expect(written.status).toBe(201)
  expect(await server.parley.engine.read(runChecks)).toEqual([])
  await server.stop()
  await drop()
})

test('an upgrade that is killed in the middle changes nothing, and the next one completes it', async () => {
  const POSTS = 60_000
  const { url, drop } = await newVersion10(POSTS)
  const child = start(['migrate'], { DATABASE_URL: url })
  while (!(await isRewriting(url)) && child.exitCode === null) await Bun.sleep(5)
  child.kill('SIGKILL')
  await child.exited

  const killed = openEngine(url)
  expect(await killed.migrate((db) => schemaVersion(db))).toBe(10)
  await killed.close()
  const { code, stdout } = await parley(['migrate'], { DATABASE_URL: url })
  expect([code, stdout]).toEqual([0, expect.stringContaining('Migrated: 011-stored-fields')])

  const engine = openEngine(url)
  // A statement of a usual read may take eight seconds.
  expect(await engine.snapshot(runChecks)).toEqual([])
  const [{ count }] = (await engine.read((db) =>
    db
      .selectFrom('posts')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .execute(),
  )) as [{ count: number }]
  expect(count).toBe(POSTS)
  await engine.close()
  await drop()
})

/** Whether the migration has started to rewrite a table. */
async function isRewriting(url: string): Promise<boolean> {
  if (engineUnderTest === 'sqlite') {
    const wal = `${url.slice('sqlite:'.length)}-wal`
    return existsSync(wal) && statSync(wal).size > 1_000_000
  }
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const { rowCount } = await client.query(
      `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND state = 'active' AND query LIKE '%INSERT INTO "posts"%' AND pid <> pg_backend_pid()`,
    )
    return (rowCount ?? 0) > 0
  } finally {
    await client.end()
  }
}
