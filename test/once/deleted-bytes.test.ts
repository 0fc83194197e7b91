import { expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { cases, found } from '../deletion/secrets'
import { newDatabase, startTestServer } from '../server'
import { world } from '../world'

/** The raw bytes of the files of a SQLite database, including free pages. */
function bytesOf(url: string): string {
  const path = url.slice('sqlite:'.length)
  const files = readdirSync(dirname(path)).filter((file) => file.startsWith(basename(path)))
  return files.map((file) => readFileSync(join(dirname(path), file), 'latin1')).join('')
}

test('deleted content is not left in the file', async () => {
  const database = await newDatabase()
  const server = await startTestServer({ DATABASE_URL: database.url })
  const cast = await world(server)
  for (let turn = 0; turn < 100; turn++)
    await cast.ada.posts.create({ channel_id: cast.general.id, content_markdown: `Post ${turn} that stays` })
  const made = []
  for (const make of Object.values(cases)) made.push(await make(cast))
  const { id } = await cast.ada.posts.create({
    channel_id: cast.general.id,
    content_markdown: 'longsecret '.repeat(5_000),
  })
  const secrets = [...made.flatMap((each) => each.secrets), 'longsecret']
  expect(found(bytesOf(database.url), { secrets })).toEqual(secrets)

  for (const { remove } of made) await remove()
  await cast.ada.posts.delete({ id })
  await server.searchIndexing()!.purge()
  // Stopping moves the write-ahead log into the file.
  await server.stop()
  expect(bytesOf(database.url)).toContain('that stays')
  expect(found(bytesOf(database.url), { secrets })).toEqual([])
  await database.drop()
})
