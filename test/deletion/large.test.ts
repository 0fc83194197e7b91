import { expect, test } from 'bun:test'
import { sql } from 'kysely'
import { startTestServer } from '../server'
import { type World, world } from '../world'
import { columnsHolding, newSecret } from './secrets'

const MANY = 10_000

/** As many comments as nobody writes, with their events and the answers that are kept of them. */
async function addComments({ server, workspaceKey }: World, postId: string, secret: string) {
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
      SELECT '${id}' || i, ${workspaceKey}, ${post.key}, ${post.author_key}, i, '${secret}', '${secret}' FROM n`)
    await run(`${numbers} INSERT INTO events
      (workspace_key, revision, type, actor_key, channel_key, created_at, data, subject_id)
      SELECT workspace_key, ${revision - MANY} + i, type, actor_key, channel_key, created_at,
        replace(data, '${id}', '${id}' || i), '${id}' || i
      FROM n, events WHERE subject_id = '${id}' AND workspace_key = ${workspaceKey}`)
    await run(`UPDATE posts SET comments_count = comments_count + ${MANY} WHERE key = ${post.key}`)
  })
}

test('a post with ten thousand comments is deleted while others go on reading', async () => {
  const server = await startTestServer()
  const cast = await world(server)
  const { ada, general } = cast
  const secret = newSecret()
  const post = await ada.posts.create({ channel_id: general.id, content_markdown: secret })
  await ada.comments.create({ post_id: post.id, content_markdown: secret })
  await addComments(cast, post.id, secret)
  expect((await ada.comments.list({ post_id: post.id })).total_count).toBe(MANY + 1)

  let isOver = false
  const started = performance.now()
  const deleting = ada.posts.delete({ id: post.id }).then(() => {
    isOver = true
  })
  let reads = 0
  let longest = 0
  while (!isOver) {
    const asked = performance.now()
    await cast.bob.me.get()
    longest = Math.max(longest, performance.now() - asked)
    reads += 1
  }
  await deleting
  if (process.env.PARLEY_MEASURE) console.log({ took: performance.now() - started, reads, longest })
  expect(reads).toBeGreaterThan(1)
  expect(await columnsHolding(server, { secrets: [secret] })).toEqual([])
  await server.stop()
}, 120_000)
