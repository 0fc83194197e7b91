import { expect, test } from 'bun:test'
import { sql } from 'kysely'
import { rebuildSearchIndex } from '../../src/operations/database'
import { findInconsistencies } from '../consistency'
import { startTestServer } from '../server'
import { world } from '../world'

const POSTS = 150

test('a part of the index holds all that one step of a build indexed', async () => {
  const server = await startTestServer()
  const { ada, general } = await world(server)
  await Promise.all(
    Array.from({ length: POSTS }, (_, number) =>
      ada.posts.create({ channel_id: general.id, content_markdown: `Post ${number}` }),
    ),
  )
  const { engine } = server.parley
  await rebuildSearchIndex(server.parley)

  // FTS5 can have 2,000 parts.
  const { rows } = await engine.writeAlone((db) =>
    sql<{ parts: number }>`SELECT count(DISTINCT segid) AS parts FROM search_index_idx`.execute(db),
  )
  expect(rows[0]!.parts).toBeLessThan(POSTS / 10)
  await server.stop()
})

test('a text without a row in the table of documents is reported', async () => {
  const server = await startTestServer()
  const { ada, general } = await world(server)
  const { id } = await ada.posts.create({ channel_id: general.id, content_markdown: 'giraffe' })
  await server.parley.engine.write((db) => db.deleteFrom('search_documents').execute())
  const wrong = await findInconsistencies(server)
  expect(wrong).toContain(`${id} is not in the search index.`)
  expect(wrong).toContain('The search index holds a text under 1 that belongs to no record.')
  await server.stop()
})
