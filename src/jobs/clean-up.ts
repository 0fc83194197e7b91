import type { Parley } from '../gate/parley'
import { deleteOldAttempts } from '../store/accounts/attempts'
import { deleteOldPendingJoins } from '../store/accounts/invite-links'
import { deleteOldAccountLinks, deleteOldSignInLinks } from '../store/accounts/links'
import { deleteExpiredSessions } from '../store/accounts/sessions'
import { deleteOldMails } from '../store/attention/mails'
import { deleteOrphanedPushSubscriptions } from '../store/attention/push'
import { deleteOldEvents } from '../store/log/events'
import { deleteOldResponses } from '../store/log/idempotency'
import { deleteExpiredPageTokens } from '../store/people/tokens'
import { listWorkspaces } from '../store/people/workspaces'
import { deleteOldDeliveries, deleteOrphanedDeliveries, listWebhookKeys } from '../store/webhooks/delivery-queue'

const DAY_MS = 24 * 60 * 60 * 1000
const MAIL_RETENTION_MS = 7 * DAY_MS
const EVERY_MS = 10 * 60 * 1000

/** Deletes what has expired, every few minutes: events, deliveries, stored responses, sessions, links, mails. */
export function startCleanUp(parley: Parley, retentionDays: number): () => void {
  const run = () => cleanUp(parley, retentionDays).catch((error) => report(parley, error))
  const timer = setInterval(run, EVERY_MS)
  timer.unref()
  return () => clearInterval(timer)
}

export async function cleanUp(
  { engine, clock }: Pick<Parley, 'engine' | 'clock'>,
  retentionDays: number,
): Promise<void> {
  const before = clock() - retentionDays * DAY_MS
  for (const { key } of await engine.read((db) => listWorkspaces(db)))
    while ((await engine.write((db) => deleteOldEvents(db, key, before))) > 0) await Bun.sleep(0)
  for (const webhook of await engine.read(listWebhookKeys))
    while ((await engine.write((db) => deleteOldDeliveries(db, webhook, before))) > 0) await Bun.sleep(0)
  while ((await engine.write(deleteOrphanedDeliveries)) > 0) await Bun.sleep(0)
  while ((await engine.write((db) => deleteOldResponses(db, clock()))) > 0) await Bun.sleep(0)
  await engine.write(async (db) => {
    await deleteExpiredSessions(db, clock())
    await deleteExpiredPageTokens(db, clock())
    await deleteOldAttempts(db, clock())
    await deleteOldSignInLinks(db, clock())
    await deleteOldAccountLinks(db, clock())
    await deleteOldPendingJoins(db, clock())
    await deleteOldMails(db, clock() - MAIL_RETENTION_MS)
    await deleteOrphanedPushSubscriptions(db)
  })
}

const report = ({ log }: Parley, error: unknown) => log.warn('Could not clean up; will retry', { error: String(error) })
