import { afterAll, describe, expect, test } from 'bun:test'
import { sql } from 'kysely'
import { rebuildSearchIndex } from '../../src/operations/database'
import { compareIndex } from '../../src/store/checks/search'
import type { Writer } from '../../src/store/engines/db'
import type { Engine } from '../../src/store/engines/engine'
import type { Read } from '../../src/store/engines/search/search-index'
import { openEngine } from '../../src/store/open'
import { engineUnderTest, newMigratedDatabase, startTestServer } from '../server'
import { world } from '../world'

const isSqlite = engineUnderTest === 'sqlite'
const endings: (() => Promise<unknown>)[] = []
afterAll(async () => {
  for (const end of endings.reverse()) await end()
})

async function home() {
  const database = await newMigratedDatabase()
  const server = await startTestServer({ DATABASE_URL: database.url })
  endings.push(database.drop, server.stop)
  await server.searchIndexing()!.close()
  return { ...(await world(server)), engine: server.parley.engine, url: database.url }
}

const check = (engine: Engine) => compareIndex((work) => engine.snapshot(work))

const words = (count: number) => Array.from({ length: count }, (_, at) => `word${at}`)

/** Replaces what the index holds of a text, and nothing else. */
async function changeWords(engine: Engine, id: string, change: (words: string) => string) {
  await engine.write(async (db) => {
    const { key } = await findDocument(db, id)
    if (isSqlite) {
      const before = await indexedWords(db, key)
      await sql`DELETE FROM search_index WHERE rowid = ${key}`.execute(db)
      await sql`INSERT INTO search_index (rowid, words) VALUES (${key}, ${change(before)})`.execute(db)
    } else {
      const { rows } = await sql<{ words: string }>`SELECT content_words AS words FROM search_documents
        WHERE key = ${key}`.execute(db)
      await sql`UPDATE search_documents SET content_words = ${change(rows[0]!.words)} WHERE key = ${key}`.execute(db)
    }
  })
}

const findDocument = async (db: Writer, id: string) =>
  db
    .selectFrom('search_documents as d')
    .innerJoin('posts as p', 'p.key', 'd.record_key')
    .where('d.type', '=', 1)
    .where('p.id', '=', id)
    .select('d.key')
    .executeTakeFirstOrThrow()

/** The words of a text in their order, as SQLite's index holds them. */
async function indexedWords(db: Writer, key: number): Promise<string> {
  await sql`CREATE VIRTUAL TABLE IF NOT EXISTS temp.places USING fts5vocab('main', 'search_index', 'instance')`.execute(
    db,
  )
  const { rows } = await sql<{ term: string }>`SELECT term FROM temp.places WHERE doc = ${key}
    ORDER BY offset`.execute(db)
  await sql`DROP TABLE temp.places`.execute(db)
  return rows.map(({ term }) => term).join(' ')
}

describe('the check of the search index', () => {
  test('finds records that cannot be found by their date, and building it anew mends that', async () => {
    const { ada, general, engine, server } = await home()
    const { id } = await ada.posts.create({ channel_id: general.id, content_markdown: 'Zebra' })
    expect(await check(engine)).toEqual([])
    await engine.write((db) => db.deleteFrom('search_days').execute())
    expect(await check(engine)).toContain(`${id} cannot be found by its date in the search index.`)
    await rebuildSearchIndex(server.parley)
    expect(await check(engine)).toEqual([])
  }, 300_000)

  test('finds a wrong word, a wrong order and a missing word anywhere in a text, and a surplus text', async () => {
    const { ada, general, engine } = await home()
    const create = () =>
      ada.posts.create({ channel_id: general.id, title: 'Long', content_markdown: words(500).join(' ') })
    const [intact, replaced, swapped, shorter] = [await create(), await create(), await create(), await create()]
    expect(await check(engine)).toEqual([])

    await changeWords(engine, intact.id, (text) => text)
    await changeWords(engine, replaced.id, (text) => text.replace(' word250 ', ' other '))
    await changeWords(engine, swapped.id, (text) => text.replace(' word250 word251 ', ' word251 word250 '))
    await changeWords(engine, shorter.id, (text) => text.replace(' word250 ', ' '))
    const different = [replaced, swapped, shorter].map(({ id }) => `${id} is in the search index with another text.`)
    expect((await check(engine)).toSorted()).toEqual(different.toSorted())

    if (isSqlite) {
      await engine.write((db) => sql`INSERT INTO search_index (rowid, words) VALUES (123456, 'stray')`.execute(db))
      expect(await check(engine)).toContain('The search index holds a text under 123456 that belongs to no record.')
      await engine.write(async (db) => {
        const { key } = await findDocument(db, intact.id)
        await sql`DELETE FROM search_index WHERE rowid = ${key}`.execute(db)
      })
    } else await engine.write((db) => db.updateTable('search_documents').set({ place_key: 77 }).execute())
    expect(await check(engine)).toContain(`${intact.id} is in the search index with another text.`)
  })

  test('reports nothing that is written while it runs', async () => {
    const { ada, general, engine } = await home()
    const create = (text: string) => ada.posts.create({ channel_id: general.id, content_markdown: text })
    const posts = await Promise.all(words(12).map((word) => create(`Post ${word} ${words(30).join(' ')}`)))
    const damaged = posts.pop()!
    await changeWords(engine, damaged.id, (text) => text.replace(' word7 ', ' other '))
    const often = posts.pop()!
    let reads = 0
    const readBesideWrites: Read = async (work) => {
      reads += 1
      const result = await engine.snapshot(work)
      const post = posts[reads % posts.length]!
      if (reads % 3 === 0) await ada.posts.delete({ id: posts.shift()!.id }).catch(() => {})
      else await ada.posts.update({ id: post.id, content_markdown: `Edited ${reads} ${words(20).join(' ')}` })
      await ada.posts.update({ id: often.id, content_markdown: `Edited again and again ${reads}` })
      posts.push(await create(`New ${reads}`))
      return result
    }
    expect(await compareIndex(readBesideWrites)).toEqual([`${damaged.id} is in the search index with another text.`])
    expect(reads).toBeGreaterThan(5)
  })

  test('takes few statements for many records, and each batch of them in a read of its own', async () => {
    const { ada, general, url } = await home()
    for (let number = 0; number < 60; number++)
      await Promise.all(
        Array.from({ length: 20 }, (_, at) =>
          ada.posts.create({
            channel_id: general.id,
            content_markdown: `Post ${number} of ${at} ${words(5).join(' ')}`,
          }),
        ),
      )
    let statements = 0
    const engine = openEngine(url, { onStatement: () => (statements += 1) })
    let [reads, inRead, most] = [0, 0, 0]
    const read: Read = async (work) => {
      reads += 1
      const before = statements
      const result = await engine.snapshot(work)
      inRead = statements - before
      most = Math.max(most, inRead)
      return result
    }
    expect(await compareIndex(read)).toEqual([])
    await engine.close()
    expect(statements).toBeLessThan(1_200 / 10)
    expect(reads).toBeGreaterThan(6)
    expect(most).toBeLessThan(20)
  }, 300_000)
})
