import { expect, test } from 'bun:test'
import { sql } from 'kysely'
import { rebuildSearchIndex } from '../../src/setup/search-build'
import { engineUnderTest, startTestServer } from '../server'
import { world } from '../world'

const POSTS = 150

test.if(engineUnderTest === 'sqlite')('a part of the index holds all that one step of a build indexed', async () => {
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
