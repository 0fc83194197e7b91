import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { cases, found } from '../deletion/secrets'
import { newMigratedDatabase, startTestServer } from '../server'
import { world } from '../world'

const pathOf = (url: string) => url.slice('sqlite:'.length)

/** The raw bytes of the files of a SQLite database, including free pages. */
function bytesOf(url: string): Buffer {
  const path = pathOf(url)
  const files = readdirSync(dirname(path)).filter((file) => file.startsWith(basename(path)))
  return Buffer.concat(files.map((file) => readFileSync(join(dirname(path), file))))
}

const PAGE_SIZE = 4096
const TREE_PAGES = [2, 5, 10, 13]

/**
 * The same without the gap between the header and the content of each page of a table or index. Where SQLite has split a page,
 * copies of what it moved stay there: `secure_delete` does not overwrite them. https://www.sqlite.org/fileformat.html#b_tree_pages
 */
function bytesInUse(url: string): Buffer {
  const file = bytesOf(url)
  for (let start = 0; start < file.length; start += PAGE_SIZE) {
    const page = file.subarray(start, start + PAGE_SIZE)
    const header = start === 0 ? 100 : 0
    const type = page[header]!
    if (!TREE_PAGES.includes(type)) continue
    const cellsEnd = header + (type < 8 ? 12 : 8) + 2 * page.readUInt16BE(header + 3)
    page.fill(0, cellsEnd, page.readUInt16BE(header + 5))
  }
  return file
}

test('deleted content is overwritten in the file, and gone after VACUUM', async () => {
  const database = await newMigratedDatabase()
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
  const left = (bytes: Buffer) => found(bytes.toString('latin1'), { secrets })
  expect(left(bytesOf(database.url))).toEqual(secrets)

  for (const { remove } of made) await remove()
  await cast.ada.posts.delete({ id })
  await server.searchIndexing()!.purge()
  // Stopping moves the write-ahead log into the file.
  await server.stop()
  expect(bytesInUse(database.url).toString('latin1')).toContain('that stays')
  expect(left(bytesInUse(database.url))).toEqual([])
  const file = new Database(pathOf(database.url))
  file.run('VACUUM')
  file.close()
  expect(left(bytesOf(database.url))).toEqual([])
  await database.drop()
})
