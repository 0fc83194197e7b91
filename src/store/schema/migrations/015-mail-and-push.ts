import { type Kysely, sql } from 'kysely'
import type { SqlSyntax } from '../../engines/syntax'

/** Mails to send with the links in them, when members want to be notified, and the devices that get pushes. */
export async function up(db: Kysely<never>, { key, int, text }: SqlSyntax) {
  const run = (statement: string) => sql.raw(statement).execute(db)
  const count = `${int} not null default 0`

  await run(`CREATE TABLE mails (
    key ${key}, id ${text} not null unique, kind ${text} not null, address text not null,
    workspace_key ${int} not null, author_key ${int} not null, created_at ${int} not null, due_at ${int},
    claimed_until ${count}, attempts ${count}, status ${text} not null, last_error text)`)
  await run('CREATE INDEX mails_due ON mails (due_at, claimed_until)')
  await run('CREATE INDEX mails_of_author ON mails (author_key, kind)')
  await run('CREATE INDEX mails_by_created_at ON mails (created_at)')

  await run(`CREATE TABLE account_links (
    key ${key}, kind ${text} not null, mail_key ${int} not null, user_key ${int} not null references users (key),
    author_key ${int} not null references authors (key), hash ${text} not null unique,
    created_at ${int} not null, expires_at ${int} not null)`)
  await run('CREATE INDEX account_links_of_user ON account_links (user_key, kind)')
  await run('CREATE INDEX account_links_of_author ON account_links (author_key, kind)')

  await run(`CREATE TABLE email_changes (
    author_key ${int} primary key references authors (key), user_key ${int} not null references users (key),
    email ${text} not null, is_everywhere ${int} not null, mail_key ${int} not null,
    created_at ${int} not null, expires_at ${int} not null)`)
  await run('CREATE INDEX email_changes_of_user ON email_changes (user_key)')

  await run(`CREATE TABLE notification_settings (
    author_key ${int} primary key references authors (key), workspace_key ${int} not null, mail ${text} not null,
    mail_hour ${int} not null, is_sooner ${int} not null, paused_until ${int}, quiet_from ${int}, quiet_to ${int},
    time_zone ${text} not null)`)
  await run(`CREATE TABLE notification_state (
    author_key ${int} primary key references authors (key), workspace_key ${int} not null, mail_due_at ${int},
    mailed_revision ${count}, mailing_revision ${int}, attempts ${count}, claimed_until ${count},
    unsubscribe_token ${text} not null unique)`)
  await run('CREATE INDEX notifications_due ON notification_state (mail_due_at, claimed_until)')

  await run(`CREATE TABLE push_subscriptions (
    session_key ${int} primary key, workspace_key ${int} not null, author_key ${int} not null references authors (key),
    endpoint text not null, p256dh text not null, auth text not null, created_at ${int} not null, due_at ${int},
    pushed_revision ${int} not null, attempts ${count}, claimed_until ${count})`)
  await run('CREATE INDEX pushes_due ON push_subscriptions (due_at, claimed_until)')
  await run('CREATE INDEX push_subscriptions_of_author ON push_subscriptions (author_key)')
  await run(`CREATE TABLE push_keys (id ${int} primary key, public_key text not null, private_key text not null)`)
}
