import { afterAll, expect, test } from 'bun:test'
import { openEngine } from '../../src/store/open'
import { createClient } from '../client'
import { newMigratedDatabase } from '../server'
import { send } from '../session/browser'
import { type Child, startChild, waitUntil } from '../torture/child'
import { openMailbox } from './smtp'
import { tokenIn } from './world'

let child: Child | undefined
afterAll(() => child?.kill())

test('a server that is killed when a mail was accepted sends it again with the same id, and either link works', async () => {
  const database = await newMigratedDatabase()
  const mailbox = await openMailbox()
  const env = { SMTP_URL: `smtp://127.0.0.1:${mailbox.port}`, MAIL_FROM: 'parley@example.com' }
  child = await startChild(database.url, env)
  const token = await child.firstToken()
  await waitUntil(child.isReady)
  mailbox.onAccepted = async () => {
    mailbox.onAccepted = undefined
    await child!.kill()
  }
  const client = createClient({ baseUrl: child.url, token })
  await client.members.create({ email: 'eve@example.com', display_name: 'Eve', role: 'member' })
  await waitUntil(async () => mailbox.mails.length === 1)

  // As if the claim of the dead process had expired.
  const engine = openEngine(database.url, {})
  await waitUntil(async () => mailbox.onAccepted === undefined)
  await engine.write((db) => db.updateTable('mails').set({ claimed_until: 0 }).execute())
  await engine.close()
  child = await startChild(database.url, env)
  await waitUntil(async () => mailbox.mails.length === 2)
  const [first, second] = mailbox.mails
  expect(second!.headers.get('message-id')).toBe(first!.headers.get('message-id')!)
  await waitUntil(child.isReady)
  expect((await send(child.url, 'POST', '/session', { link: tokenIn(first!.text) })).status).toBe(201)
  expect((await send(child.url, 'POST', '/session', { link: tokenIn(second!.text) })).status).toBe(410)
  await child.stop()
  await mailbox.close()
  await database.drop()
}, 300_000)
