import { afterAll, beforeAll, expect, test } from 'bun:test'
import { sql } from 'kysely'
import { insertMail } from '../src/store/attention/mails'
import { setPushSubscription } from '../src/store/attention/push'
import { listDueWork, type Work } from '../src/store/due-work'
import type { Writer } from '../src/store/engines/db'
import type { Engine } from '../src/store/engines/engine'
import { openEngine } from '../src/store/open'
import { insertAuthor } from '../src/store/people/authors'
import { insertWorkspace } from '../src/store/people/workspaces'
import { migrate } from '../src/store/schema/migrations'
import { insertWebhook } from '../src/store/webhooks/webhooks'
import { engineUnderTest, newMigratedDatabase } from './server'
import { world } from './world'

const AT = 5_000

/** Without a server, whose jobs would do what is due. */
let engine: Engine
let database: Awaited<ReturnType<typeof newMigratedDatabase>>
let ada: Row
beforeAll(async () => {
  database = await newMigratedDatabase()
  engine = openEngine(database.url)
  if (engineUnderTest === 'postgres') await migrate(engine, 0)
  ada = await engine.write(async (db) => {
    const { key: workspace_key } = await insertWorkspace(db, { id: 'ws_1', slug: 'acme', name: 'Acme', created_at: 0 })
    const { key } = await insertAuthor(db, { workspace_key, id: 'mem_1', type: 'member', name: 'Ada', avatar: '' })
    const texts = { url: 'https://example.com/hook', types: '', secret: '' }
    await insertWebhook(db, { ...texts, id: 'wh_1', workspace_key, author_key: key, position: 0, created_at: 0 })
    return { author_key: key, workspace_key }
  })
})
afterAll(async () => {
  await engine.close()
  await database.drop()
})

/** What is due before, and at, a time, if this was done. It is undone afterwards. */
async function listAround(prepare: (db: Writer, ada: Row) => Promise<unknown>): Promise<Work[][]> {
  const found: Work[][] = []
  const undo = new Error('Not to be kept')
  await engine
    .writeAlone(async (db) => {
      await prepare(db, ada)
      for (const time of [AT - 1, AT]) found.push((await listDueWork(db, time)).sort())
      throw undo
    })
    .catch((error) => {
      if (error !== undo) throw error
    })
  return found
}

interface Row {
  author_key: number
  workspace_key: number
}

test('no job is started where nothing is due', async () => {
  expect(await listAround(async () => {})).toEqual([[], []])
})

const timed: Record<string, [Work, (db: Writer, ada: Row) => Promise<unknown>]> = {
  'a delivery': ['webhooks', (db) => db.updateTable('webhooks').set({ due_at: AT }).execute()],
  'a mail': [
    'notifications',
    (db, ada) => insertMail(db, { ...ada, id: 'mail_1', kind: 'invitation', address: '' }, AT),
  ],
  'a mail about what is unread': [
    'notifications',
    (db, ada) =>
      db
        .insertInto('notification_state')
        .values({
          ...ada,
          ...{ mail_due_at: AT, mailed_revision: 0, mailing_revision: null },
          ...{ attempts: 0, claimed_until: 0, unsubscribe_token: 'token' },
        })
        .execute(),
  ],
  'a push': [
    'notifications',
    async (db, ada) => {
      const browser = { endpoint: 'https://push.example.com', p256dh: '', auth: '' }
      await setPushSubscription(db, { ...ada, ...browser, session_key: 1, created_at: 0, pushed_revision: 0 })
      await db.updateTable('push_subscriptions').set({ due_at: AT }).execute()
    },
  ],
}
for (const [what, [work, prepare]] of Object.entries(timed))
  test(`${what} starts its job when it is due`, async () => {
    expect(await listAround(prepare)).toEqual([[], [work]])
  })

test('a reminder starts its job when it is due', async () => {
  const cast = await world()
  const { engine: live, clock } = cast.server.parley
  const post = await cast.ada.posts.create({ channel_id: cast.general.id, content_markdown: 'Lunch?' })
  const remindAt = clock() + 3_600_000
  await cast.ada.saved.set({ post_id: post.id, remind_at: new Date(remindAt).toISOString() })
  const isDue = (at: number) => live.read(async (db) => (await listDueWork(db, at)).includes('reminders'))
  expect([await isDue(clock()), await isDue(remindAt)]).toEqual([false, true])
})

test('what is in a log and in no inbox or queue yet starts the jobs that follow the log', async () => {
  const goOn = (db: Writer) => db.updateTable('workspaces').set({ revision: sql`revision + 1000000` }).execute()
  expect(await listAround(goOn)).toEqual([
    ['inboxes', 'webhooks'],
    ['inboxes', 'webhooks'],
  ])
})

test('dropped deliveries start the job that marks them', async () => {
  const drop = (db: Writer) => db.updateTable('webhooks').set({ dropped_key: 1 }).execute()
  expect(await listAround(drop)).toEqual([['webhooks'], ['webhooks']])
})
