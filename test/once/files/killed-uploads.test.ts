import { Database } from 'bun:sqlite'
import { afterAll, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { folderOf } from '../../../src/files/open'
import { newObjectName } from '../../../src/files/storage'
import { createClient } from '../../client'
import { expectConsistent } from '../../consistency'
import { filesUrlOf, newMigratedDatabase, startTestServer, time } from '../../server'
import { type Child, startChild, waitUntil } from '../../torture/child'

const DAY_MS = 24 * 60 * 60 * 1000
const ROUNDS = 4

let child: Child | undefined
afterAll(() => child?.kill())

test('a server that is killed while files arrive and go leaves no row without bytes, and no bytes for long, but what a backup needs', async () => {
  const database = await newMigratedDatabase()
  const FILES_URL = filesUrlOf(database.url)
  let token = ''
  const stored = new Map<string, string>()
  for (let round = 0; round < ROUNDS; round++) {
    child = await startChild(database.url, { FILES_URL })
    token ||= await child.firstToken()
    await waitUntil(child.isReady)
    await killWhileUploading(child, token, stored, round)
  }
  expect(stored.size).toBeGreaterThan(0)

  // A backup that starts when objects to delete are looked for: a command is another process.
  let isBackupStarting = false
  const onStatement = (sql: string) => {
    if (!isBackupStarting || !/^select .*"stray_objects"/.test(sql)) return
    isBackupStarting = false
    const other = new Database(database.url.slice('sqlite:'.length))
    other.run('INSERT INTO backup_holds (id, until) VALUES (?, ?)', ['backup', time.now() + 60_000])
    other.close()
  }
  const server = await startTestServer({ DATABASE_URL: database.url, FILES_URL }, { onStatement })
  await server.ready
  try {
    const client = createClient({ baseUrl: server.url, token })
    for (const [id, words] of stored) expect(await (await client.files.content({ id })).text()).toBe(words)
    const erasing = server.fileErasing()!
    // What the killed processes were about to delete, and what they never inserted.
    await erasing.sweep()
    time.advance(DAY_MS + 60_000)
    await erasing.sweep()
    const { engine, files } = server.parley
    const gone = newObjectName('ws_01m7qn6k9we8draya068j2fds4', 'ab'.repeat(32))
    await files.storage.write(gone, Buffer.from('deleted after the database was copied'))
    await engine.write((db) => db.insertInto('stray_objects').values({ object: gone, delete_after: 0 }).execute())
    // The other process finds no write in the way.
    await server.parley.presence.settled()
    isBackupStarting = true
    await erasing.runRound()
    expect(await files.storage.read(gone)).toBeDefined()
    await engine.write((db) => db.deleteFrom('backup_holds').execute())
    await erasing.runRound()
    await expectConsistent(server)
    const named = await engine.read((db) => db.selectFrom('blobs').select('object').orderBy('object').execute())
    const objects: string[] = []
    for await (const { object } of files.storage.list()) objects.push(object)
    expect(objects).toEqual(named.map(({ object }) => object).sort())
    expect(await engine.read((db) => db.selectFrom('stray_objects').selectAll().execute())).toEqual([])
    expect(readdirSync(join(folderOf(FILES_URL), 'incoming'))).toEqual([])
  } finally {
    await server.stop()
    await database.drop()
  }
}, 600_000)

/** Uploads, shares and deletes files at once, and kills the server meanwhile. Adds what was acknowledged and not deleted. */
async function killWhileUploading(server: Child, token: string, stored: Map<string, string>, round: number) {
  const client = createClient({ baseUrl: server.url, token })
  const channel = (await client.channels.list()).data[0]!
  let uploads = 0
  const work = async (name: string) => {
    for (let count = 0; ; count++) {
      const words = `${name} ${round} ${count} `.repeat(20_000)
      const { id } = await client.files.upload({ file: new Blob([words]), name })
      await client.posts.create({ channel_id: channel.id, file_ids: [id] })
      uploads++
      if (count % 2 === 0) {
        stored.set(id, words)
        continue
      }
      await client.files.delete({ id })
    }
  }
  const callers = ['a', 'b', 'c', 'd', 'e'].map((name) => work(name).catch(() => {}))
  await waitUntil(() => uploads > 5)
  await Bun.sleep(Math.random() * 100)
  await server.kill()
  await Promise.all(callers)
}
