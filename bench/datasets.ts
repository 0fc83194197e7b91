import { Database } from 'bun:sqlite'
import { statSync } from 'node:fs'
import { dataset } from './lib/dataset'
import { grouped, option } from './lib/figures'
import { addResult } from './lib/results'

const sizes = [option('small', 1_000), option('posts', 100_000)]
const large = option('large', 1_000_000)

/** Makes what the others read, and says how much room it takes. */
export async function benchDatasets() {
  for (const size of sizes) await dataset(size)
  await dataset(1_000, 100_000)
  const { database } = await dataset(large)
  const bytes = statSync(database).size
  addResult({
    question: `SQLite: disk for ${grouped(large)} posts`,
    value: bytes,
    shown: `${grouped(bytes / 1e6)} MB`,
    note: lengths(database),
  })
}

/** How long posts are, from a sample of them. */
function lengths(database: string): string {
  const file = new Database(database, { readonly: true })
  const { markdown, html } = file
    .query<{ markdown: number; html: number }, []>(
      'SELECT avg(length(markdown)) AS markdown, avg(length(content)) AS html FROM (SELECT * FROM posts LIMIT 20000)',
    )
    .get()!
  file.close()
  return `${Math.round(markdown)} characters of Markdown each, ${Math.round(html)} of HTML`
}
