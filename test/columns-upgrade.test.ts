import { expect, setDefaultTimeout, test } from 'bun:test'
import { sql } from 'kysely'
import type { Comment } from '../src/contract/comments'
import type { Message } from '../src/contract/messages'
import type { Post } from '../src/contract/posts'
import type { Page } from '../src/contract/shapes'
import { hashSecret } from '../src/domain/secrets'
import { timestamp } from '../src/domain/timestamps'
import { runChecks } from '../src/store/checks/consistency'
import type { Db } from '../src/store/engines/db'
import { openEngine } from '../src/store/open'
import { migrateBefore, ODD, TOKEN } from './old-version'
import { newDatabase, startTestServer } from './server'

setDefaultTimeout(100_000)

const TIME = 1_700_000_000_123
const fieldsOf = (record: object) => JSON.stringify(record).slice(1, -1)
/** Half a surrogate pair and NUL are JSON, but no text. */
const NO_TEXT = 'half \ud83d and \0 end'
const AS_TEXT = 'half \ufffd and \ufffd end'
const texts = [ODD, NO_TEXT, '', '\\u0041 is no escape', 'plain']

/** A workspace as the version before stored it: JSON of all that belongs to a record. */
async function fillVersion28(db: Db) {
  const insert = async (table: string, rows: Record<string, unknown>[]) => {
    for (const row of rows)
      await sql`INSERT INTO ${sql.table(table)} (${sql.join(Object.keys(row).map((name) => sql.ref(name)))})
        VALUES (${sql.join(Object.values(row))})`.execute(db)
  }
  const at = { workspace_key: 1, author_key: 1 }
  await insert('workspaces', [
    { key: 1, id: 'ws_1', slug: 'home', name: 'Home', created_at: 1, admins_count: 1, revision: 0 },
  ])
  await insert('inbox_positions', [{ workspace_key: 1, revision: 0, recipient_key: 0 }])
  await insert('users', [{ key: 1, id: 'user_1', email: 'ada@example.com', created_at: 1 }])
  await insert('authors', [
    {
      ...{ key: 1, workspace_key: 1, id: 'mem_ada', type: 'member', name: 'Ada "A"', avatar: '3-AL.svg' },
      ...{ threads_count: 1, tokens_count: 1, fields: fieldsOf({ name: 'Ada "A"', id: 'mem_ada', type: 'member' }) },
    },
  ])
  await insert('members', [
    {
      ...{ ...at, id: 'mem_ada', user_key: 1, user_id: 'user_1', role: 'admin', created_at: TIME, last_seen_at: TIME },
      ...{ search_text: 'ada "a"\nada@example.com', preferences: '{"enter_sends":false}' },
      fields: fieldsOf({ id: 'mem_ada', created_at: timestamp(TIME) }),
      user_fields: fieldsOf({ id: 'user_1', email: 'ada@example.com' }),
    },
  ])
  await insert('tokens', [
    { ...at, id: 'tok_1', kind: 'api', hash: hashSecret(TOKEN), name: 't', scopes: 'read,write,admin', created_at: 1 },
  ])
  await insert('channels', [
    {
      ...{ key: 1, id: 'chan_1', workspace_key: 1, name: 'general', name_fold: 'general', is_listed: 1, created_at: 1 },
      ...{ posts_count: texts.length, resolved_count: 2, fields: fieldsOf({ id: 'chan_1', name: 'general' }) },
    },
  ])
  await insert('author_posts', [{ ...at, channel_key: 1, posts_count: texts.length, resolved_count: 2 }])
  await insert(
    'posts',
    texts.map((text, number) => ({
      ...{ key: number + 1, id: `post_${number}`, ...at, channel_key: 1, is_listed: 1, markdown: 'm' },
      ...{ published_at: TIME + number, last_activity_at: TIME + 10 + number, comments_count: number === 0 ? 2 : 0 },
      ...{
        root_comments_count: number === 0 ? 1 : 0,
        is_resolved: number < 2 ? 1 : 0,
        resolved_by_key: number < 2 ? 1 : 0,
      },
      ...{ resolved_comment_key: number === 0 ? 1 : 0, resolved_markdown: number === 1 ? 'm' : null },
      activity: fieldsOf({ last_activity_at: timestamp(TIME + 10 + number), comments_count: number === 0 ? 2 : 0 }),
      fields: fieldsOf({ id: `post_${number}`, title: text, created_at: timestamp(TIME + number), content: text }),
      resolution:
        number < 2
          ? fieldsOf({ resolved_at: timestamp(TIME + 7), resolved_html: number === 1 ? NO_TEXT : null })
          : null,
    })),
  )
  await insert(
    'comments',
    [ODD, NO_TEXT].map((content, number) => ({
      ...{ key: number + 1, id: `cmt_${number}`, ...at, post_key: 1, parent_key: number, created_at: TIME + number },
      ...{ replies_count: 1 - number, markdown: 'm' },
      fields: fieldsOf({
        ...{ id: `cmt_${number}`, content, created_at: timestamp(TIME + number) },
        ...{ parent_id: number === 0 ? null : 'cmt_0', subject_id: 'post_0', subject_type: 'post' },
      }),
    })),
  )
  await insert('threads', [
    {
      ...{ key: 1, id: 'thr_1', ...at, title: 'T', created_at: 1, updated_at: 1, last_activity_at: 1 },
      messages_count: 2,
    },
  ])
  await insert('thread_members', [{ ...at, thread_key: 1, thread_id: 'thr_1', last_activity_at: 1 }])
  await insert(
    'messages',
    [ODD, NO_TEXT].map((content, number) => ({
      ...{ key: number + 1, id: `msg_${number}`, ...at, thread_key: 1, parent_key: number, markdown: 'm' },
      ...{ created_at: TIME + number, updated_at: TIME + 5 + number },
      fields: fieldsOf({
        ...{
          id: `msg_${number}`,
          content,
          created_at: timestamp(TIME + number),
          updated_at: timestamp(TIME + 5 + number),
        },
        ...{ parent_id: number === 0 ? null : 'msg_0', thread_id: 'thr_1' },
      }),
    })),
  )
  await insert('pins', [{ post_key: 2, post_id: 'post_1', ...at, channel_key: 1, pinned_at: TIME }])
  await insert('saved_posts', [{ ...at, post_key: 3, post_id: 'post_2', saved_at: TIME, remind_at: null }])
}

test('what was stored as JSON is in columns, and records are the same byte by byte', async () => {
  const { url, drop } = await newDatabase()
  const engine = openEngine(url)
  await migrateBefore(engine, 29, fillVersion28)
  await engine.close()
  const server = await startTestServer({ DATABASE_URL: url })
  const read = async (path: string) => {
    const response = await fetch(`${server.url}${path}`, { headers: { Authorization: `Bearer ${TOKEN}` } })
    expect([path, response.status]).toEqual([path, 200])
    return response.text()
  }
  const get = async <T>(path: string): Promise<T> => JSON.parse(await read(path)) as T

  const { data: posts, total_count } = await get<Page<Post>>('/v2/posts?direction=asc')
  expect(total_count).toBe(texts.length)
  expect(posts.map(({ title, content }) => [title, content])).toEqual(
    texts.map((text) => (text === NO_TEXT ? [AS_TEXT, AS_TEXT] : [text, text])),
  )
  const { author } = posts[0]!
  const channel = { id: 'chan_1', name: 'general' }
  const expected = {
    ...{ id: 'post_0', title: ODD, created_at: timestamp(TIME), content: ODD },
    ...{
      last_activity_at: timestamp(TIME + 10),
      comments_count: 2,
      url: `${server.url}/posts/post_0`,
      channel,
      author,
    },
    resolution: {
      ...{ resolved_at: timestamp(TIME + 7), resolved_html: null, resolved_by: author },
      resolved_comment: {
        ...{ id: 'cmt_0', content: ODD, created_at: timestamp(TIME), parent_id: null, subject_id: 'post_0' },
        ...{ subject_type: 'post', replies_count: 1, author },
      },
    },
  }
  expect(await read('/v2/posts/post_0')).toBe(JSON.stringify(expected))
  expect(posts[1]!.resolution!.resolved_html).toBe(AS_TEXT)
  const comments = await get<Page<Comment>>('/v2/posts/post_0/comments')
  expect(comments.data.map(({ content, parent_id }) => [content, parent_id])).toEqual([
    [ODD, null],
    [AS_TEXT, 'cmt_0'],
  ])
  const messages = await get<Page<Message>>('/v2/threads/thr_1/messages?direction=asc')
  expect(messages.data.map(({ updated_at, parent_id }) => [updated_at, parent_id])).toEqual([
    [timestamp(TIME + 5), null],
    [timestamp(TIME + 6), 'msg_0'],
  ])
  expect(await get<object>('/v2/me/preferences')).toEqual({ enter_sends: false })
  expect((await get<Page<{ post: Post }>>('/v2/channels/chan_1/pins')).data[0]!.post.id).toBe('post_1')
  expect((await get<Page<{ post: Post }>>('/v2/saved')).data[0]!.post.id).toBe('post_2')
  expect(await server.parley.engine.read(runChecks)).toEqual([])
  await server.stop()
  await drop()
})
