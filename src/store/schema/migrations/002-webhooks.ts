import { type Kysely, sql } from 'kysely'
import type { SqlSyntax } from '../../engines/syntax'

export async function up(db: Kysely<never>, { key, int, text }: SqlSyntax) {
  const run = (statement: string) => sql.raw(statement).execute(db)
  const count = `${int} not null default 0`

  await run(`CREATE TABLE webhooks (
    key ${key}, id ${text} not null, workspace_key ${int} not null references workspaces (key),
    author_key ${int} not null references authors (key), url text not null, types text not null,
    is_enabled ${count}, disabled_reason text, created_at ${int} not null,
    secret text not null, old_secret text, old_secret_until ${count},
    position ${int} not null, due_at ${int}, failing_since ${int}, claimed_until ${count},
    deliveries_count ${count}, delivered_count ${count}, failed_count ${count})`)
  await run('CREATE UNIQUE INDEX webhooks_id ON webhooks (workspace_key, id)')
  await run('CREATE INDEX webhooks_by_created_at ON webhooks (workspace_key, created_at, id)')
  await run('CREATE INDEX webhooks_due ON webhooks (due_at, claimed_until)')

  await run(`CREATE TABLE deliveries (
    key ${key}, id ${text} not null, workspace_key ${int} not null, webhook_key ${int} not null,
    event_id ${text} not null, event_type ${text} not null, status ${text} not null, attempts_count ${count},
    created_at ${int} not null, next_attempt_at ${int}, body text not null)`)
  await run('CREATE UNIQUE INDEX deliveries_id ON deliveries (workspace_key, id)')
  await run('CREATE INDEX deliveries_of_webhook ON deliveries (workspace_key, webhook_key, status, created_at, id)')
  await run('CREATE INDEX deliveries_due ON deliveries (webhook_key, next_attempt_at)')

  await run(`CREATE TABLE delivery_attempts (
    delivery_key ${int} not null, attempted_at ${int} not null, duration_ms ${int} not null,
    response_status ${int}, response_body text, error text)`)
  await run('CREATE INDEX attempts_of_delivery ON delivery_attempts (delivery_key, attempted_at)')
}
