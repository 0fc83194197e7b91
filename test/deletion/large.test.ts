import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { sql } from 'kysely'
import type { Post } from '../../src/contract/posts'
import { planOf, type Statement } from '../plans'
import { engineUnderTest, startTestServer } from '../server'
import { type World, world } from '../world'
import { columnsHolding, newSecret } from './secrets'

const MANY = 10_000

/** As many comments as nobody writes, with their events and the answers that are kept of them. */
async function addComments({ server, workspaceKey }: World, postId: string) {
  await server.parley.engine.write(async (db) => {
    const post = await db.selectFrom('posts').where('id', '=', postId).selectAll().executeTakeFirstOrThrow()
    const { id } = await db
      .selectFrom('comments')
      .where('post_key', '=', post.key)
      .select('id')
      .executeTakeFirstOrThrow()
    const run = (text: string) => sql.raw(text).execute(db)
    const numbers = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${MANY})`
    const { revision } = await db
      .updateTable('workspaces')
      .set((eb) => ({ revision: eb('revision', '+', MANY) }))
      .where('key', '=', workspaceKey)
      .returning('revision')
      .executeTakeFirstOrThrow()
    await run(`${numbers} INSERT INTO comments
      (id, workspace_key, post_key, author_key, created_at, content, markdown)
      SELECT id || i, workspace_key, post_key, author_key, i, content, markdown
      FROM n, comments WHERE id = '${id}'`)
    await run(`${numbers} INSERT INTO events
      (workspace_key, revision, type, actor_key, channel_key, created_at, data, subject_id)
      SELECT workspace_key, ${revision - MANY} + i, type, actor_key, channel_key, created_at,
        replace(data, '${id}', '${id}' || i), '${id}' || i
      FROM n, events WHERE subject_id = '${id}' AND workspace_key = ${workspaceKey}`)
    await run(`UPDATE post_activity SET comments_count = comments_count + ${MANY} WHERE post_key = ${post.key}`)
  })
}

describe('among ten thousand comments', () => {
  let ran: Statement[] = []
  let cast: World
  let post: Post
  const secret = newSecret()
  beforeAll(async () => {
    const onStatement = (text: string, values: readonly unknown[]) => void ran.push({ sql: text, values })
    cast = await world(await startTestServer({}, { onStatement }))
    post = await cast.ada.posts.create({ channel_id: cast.general.id, content_markdown: secret })
    await cast.ada.comments.create({ post_id: post.id, content_markdown: secret })
    await addComments(cast, post.id)
  })
  afterAll(() => cast.server.stop())

  test('the events of one are found by an index', async () => {
    const { ada, server } = cast
    const [comment] = (await ada.comments.list({ post_id: post.id, limit: 1 })).data
    ran = []
    await ada.comments.delete({ id: comment!.id })
    const redactions = ran.filter(({ sql: text }) => text.startsWith('update "events"'))
    expect(redactions).toHaveLength(2)
    if (engineUnderTest === 'postgres') await server.parley.engine.write((db) => sql.raw('ANALYZE').execute(db))
    for (const statement of redactions)
      expect((await planOf(server, statement)).join('\n')).toContain('events_of_subject')
  })

  test('their post is deleted while others go on reading', async () => {
    const { ada, bob } = cast
    let isOver = false
    const deleting = ada.posts.delete({ id: post.id }).then(() => {
      isOver = true
    })
    let reads = 0
    for (; !isOver; reads++) await bob.me.get()
    await deleting
    expect(reads).toBeGreaterThan(1)
    expect(await columnsHolding(cast.server, { secrets: [secret] })).toEqual([])
  }, 300_000)
})
