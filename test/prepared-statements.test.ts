import { expect, test } from 'bun:test'
import type { Db } from '../src/store/engines/db'
import { engineUnderTest, startTestServer } from './server'
import { world } from './world'

test('a connection to PostgreSQL prepares few statements, whatever pages are requested', async () => {
  const server = await startTestServer()
  const { raw, ada } = await world(server)
  for (let limit = 1; limit <= 50; limit += 3)
    await Promise.all(
      ['asc', 'desc'].flatMap((direction) =>
        ['published_at', 'last_activity_at'].map(async (sort) => {
          const response = await raw(ada, `/v2/posts?limit=${limit}&direction=${direction}&sort=${sort}`)
          expect(response.status).toBe(200)
        }),
      ),
    )
  if (engineUnderTest === 'postgres') {
    const counts = await Promise.all(
      Array.from({ length: 50 }, () =>
        server.parley.engine.read(async (db) => {
          const { rows } = await (db as Db).wire.execute('SELECT count(*) AS n FROM pg_prepared_statements', [])
          return (rows as { n: number }[])[0]!.n
        }),
      ),
    )
    expect(Math.max(...counts)).toBeLessThan(100)
  }
  await server.stop()
})
