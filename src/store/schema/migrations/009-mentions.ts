import { type Kysely, sql } from 'kysely'

const BATCH = 500

/** Each column of HTML, with the Markdown it was made of. */
const columns = [
  { table: 'posts', html: 'content', markdown: 'markdown' },
  { table: 'posts', html: 'resolved_html', markdown: 'resolved_markdown' },
  { table: 'comments', html: 'content', markdown: 'markdown' },
  { table: 'messages', html: 'content', markdown: 'markdown' },
] as const

/**
 * Raw HTML could look like a mention until it became text. Where links were written as HTML, none is a mention any
 * more; all else of what was rendered stays.
 */
export async function up(db: Kysely<never>) {
  for (const { table, html, markdown } of columns) {
    let last = 0
    for (;;) {
      const { rows } = await sql<{ key: number; html: string }>`
        SELECT key, ${sql.ref(html)} AS html FROM ${sql.table(table)}
        WHERE key > ${last} AND ${sql.ref(html)} LIKE '%class="mention"%' AND ${sql.ref(markdown)} LIKE '%<a%'
        ORDER BY key LIMIT ${BATCH}`.execute(db)
      for (const row of rows)
        await sql`UPDATE ${sql.table(table)} SET ${sql.ref(html)} = ${withoutMentions(row.html)} WHERE key = ${row.key}`.execute(
          db,
        )
      if (rows.length < BATCH) break
      last = rows.at(-1)!.key
    }
  }
}

/** The class goes from tags alone: in text it may stand as an example. */
const withoutMentions = (html: string) => html.replace(/<a [^<>]*>/g, (tag) => tag.replace(' class="mention"', ''))
