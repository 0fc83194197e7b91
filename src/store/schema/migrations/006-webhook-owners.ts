import { type Kysely, sql } from 'kysely'
import type { SqlSyntax } from '../../engines/syntax'

const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz'
const PLACES = 13

/**
 * Deliveries name their event instead of keeping a copy of it, and count every attempt. What only the owner of a
 * webhook may know leaves the log.
 */
export async function up(db: Kysely<never>, { int, indexOf }: SqlSyntax) {
  const run = (statement: string) => sql.raw(statement).execute(db)

  await run(`ALTER TABLE deliveries ADD COLUMN revision ${int} not null default 0`)
  await run(`ALTER TABLE deliveries ADD COLUMN attempts_before ${int} not null default 0`)
  await run('ALTER TABLE deliveries ADD COLUMN not_sent_reason text')
  await run(`ALTER TABLE webhooks ADD COLUMN dropped_key ${int} not null default 0`)
  await run('CREATE INDEX webhooks_dropped ON webhooks (dropped_key)')
  // The digits of an event's id are its revision; more than the last ten would make it larger than a number holds.
  const digit = (place: number) => `(CAST(${indexOf}('${DIGITS}', substr(event_id, ${5 + place}, 1)) AS ${int}) - 1)`
  const revision = Array.from({ length: 10 }, (_, at) => `${digit(PLACES - 1 - at)} * ${32 ** at}`).join(' + ')
  const attempts = '(SELECT count(*) FROM delivery_attempts WHERE delivery_key = deliveries.key)'
  await run(`UPDATE deliveries SET body = '', attempts_before = ${attempts} - attempts_count, attempts_count = ${attempts},
    revision = CASE WHEN substr(event_id, 1, 4) = 'evt_' THEN ${revision} ELSE 0 END`)
  await run('ALTER TABLE deliveries DROP COLUMN body')

  await maskAddresses(db)
}

/** Every admin reads these events, and an address may hold a secret. */
async function maskAddresses(db: Kysely<never>) {
  const { rows } = await sql<{ workspace_key: number; revision: number; data: string }>`
    SELECT workspace_key, revision, data FROM events
    WHERE type IN ('webhook.created', 'webhook.updated', 'webhook.deleted')`.execute(db)
  for (const { workspace_key, revision, data } of rows) {
    const webhook = JSON.parse(data) as { url: string }
    const masked = JSON.stringify({ ...webhook, url: `${URL.parse(webhook.url)?.origin ?? ''}/…` })
    await sql`UPDATE events SET data = ${masked}
      WHERE workspace_key = ${workspace_key} AND revision = ${revision}`.execute(db)
  }
}
