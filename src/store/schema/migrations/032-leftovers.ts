import { type Kysely, sql } from 'kysely'
import type { SqlSyntax } from '../../engines/syntax'

/**
 * Members are searched in the database: the indexes of their lists hold what is searched, where entries may be long. And an
 * index of the deliveries that were not tried yet, in the order of the log.
 */
export async function up(db: Kysely<never>, { searchedInIndex }: SqlSyntax) {
  const run = (statement: string) => sql.raw(statement).execute(db)

  await run('DROP INDEX events_of_members')
  for (const sort of ['created_at', 'last_seen_at']) {
    await run(`DROP INDEX members_by_${sort}`)
    const columns = ['workspace_key', 'role', sort, 'id', ...searchedInIndex('search_text')]
    await run(`CREATE INDEX members_by_${sort} ON members (${columns.join(', ')})`)
  }

  await run(`CREATE INDEX deliveries_new ON deliveries (webhook_key, key)
    WHERE next_attempt_at IS NOT NULL AND attempts_count = attempts_before`)
}
