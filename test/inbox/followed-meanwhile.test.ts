import { expect, test } from 'bun:test'
import { readBatch } from '../../src/store/attention/inbox-fan-out'
import { openEngine } from '../../src/store/open'
import { engineUnderTest, newMigratedDatabase, startTestServer } from '../server'
import { world } from '../world'
import { publish } from './entries'
import { addFollowers } from './followers'

/** Follows a channel from another process, while this one waits. */
function followElsewhere(url: string, author_key: number, subject_key: number) {
  const script = `import { openEngine } from '${process.cwd()}/src/store/open'
    const engine = openEngine(${JSON.stringify(url)})
    const row = { author_key: ${author_key}, kind: 3, subject_key: ${subject_key}, level: 2 }
    await engine.write((db) => db.insertInto('follows').values(row).execute())
    await engine.close()`
  const { exitCode, stderr } = Bun.spawnSync([process.execPath, '-e', script])
  expect([exitCode, stderr.toString()]).toEqual([0, ''])
}

/** On SQLite nobody writes meanwhile. */
test.if(engineUnderTest === 'postgres')(
  'nobody is left out because somebody follows after they were counted',
  async () => {
    const { url } = await newMigratedDatabase()
    const server = await startTestServer({ DATABASE_URL: url })
    const { parley } = server
    const { root, bot, bob, general, fillInboxes, workspaceKey } = await world(server)
    const other = await root.channels.create({ name: 'other' })
    await fillInboxes()
    await server.inboxFiller()!.close()
    // As many as one transaction takes: half of them in each channel.
    const keys = (await parley.engine.write((db) => addFollowers(db, general.id, 200))).map(({ key }) => key)
    const keyOf = (table: 'channels' | 'authors', id: string) =>
      parley.engine.read(async (db) => {
        const row = await db.selectFrom(table).where('id', '=', id).select('key').executeTakeFirstOrThrow()
        return row.key
      })
    const [generalKey, otherKey, bobKey] = [
      await keyOf('channels', general.id),
      await keyOf('channels', other.id),
      await keyOf('authors', bob.id),
    ]
    await parley.engine.write((db) =>
      db
        .updateTable('follows')
        .set({ subject_key: otherKey })
        .where('author_key', 'in', keys.slice(100))
        .where('kind', '=', 3)
        .execute(),
    )
    const positions = (table: 'inbox_positions' | 'workspaces', column: 'workspace_key' | 'key') =>
      parley.engine.read(async (db) => {
        const row = await db
          .selectFrom(table as 'workspaces')
          .where(column as 'key', '=', workspaceKey)
          .select('revision')
          .executeTakeFirstOrThrow()
        return row.revision
      })
    const after = await positions('inbox_positions', 'workspace_key')
    await publish(bot, general, 'One')
    await publish(bot, other, 'Two')
    const upTo = await positions('workspaces', 'key')

    let isFollowed = false
    const engine = openEngine(url, {
      onStatement(text) {
        if (isFollowed || !text.includes('own_level')) return
        isFollowed = true
        followElsewhere(url, bobKey, generalKey)
      },
    })
    const start = { revision: after, recipient_key: 0 }
    const { entries, next } = await engine.writeAlone((db) => readBatch(db, workspaceKey, start, { after, upTo }))
    const told = new Set(entries.map((entry) => entry.author_key))
    expect([isFollowed, next.revision]).toEqual([true, upTo])
    expect(keys.filter((key) => !told.has(key))).toEqual([])
    await engine.close()
    await server.stop()
  },
)
