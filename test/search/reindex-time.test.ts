import { expect, test } from 'bun:test'
import { sql } from 'kysely'
import { restartBuild } from '../../src/store/search/build'
import { engineUnderTest, startTestServer } from '../server'

if (engineUnderTest === 'postgres')
  test('an index of any size can be emptied: no statement of it times out', async () => {
    const server = await startTestServer()
    const { engine } = server.parley
    const timeout = await engine.writeAlone(async (db) => {
      await restartBuild(db)
      const { rows } = await sql<{ statement_timeout: string }>`SHOW statement_timeout`.execute(db)
      return rows[0]!.statement_timeout
    })
    expect(timeout).toBe('0')
    await server.stop()
  })
