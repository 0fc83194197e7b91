import type { Parley } from '../gate/parley'
import type { Networks } from '../networks'
import { listDueWork, type Work } from '../store/due-work'
import type { ClaimLoop } from './claim-loop'
import { startFileErasing } from './files'
import { openInboxFiller } from './inbox'
import { startDigests } from './mail/digests'
import { startMailer } from './mail/mailer'
import { addressIn, type MailSettings, openTransport } from './mail/transport'
import { startPusher } from './push/pusher'
import type { PushOptions } from './push/send'
import { startRelisting } from './relisting'
import { startReminders } from './reminders'
import { startSearchIndexing } from './search-index'
import { openDispatcher } from './webhooks/dispatcher'

const STOP_TIMEOUT_MS = 10_000
const LOOK_MS = 1_000

export type Jobs = ReturnType<typeof startJobs>

interface JobOptions {
  /** Where webhooks and pushes may be sent, and how long an answer may take. */
  egress: { allowed: Networks; answerMs: number }
  mail: NotificationOptions['mail']
}

/** Starts what happens in the background. The database has to be ready. */
export function startJobs(parley: Parley, { egress, mail }: JobOptions) {
  const dispatcher = openDispatcher(parley, egress)
  const inboxFiller = openInboxFiller(parley)
  const reminders = startReminders(parley)
  const relisting = startRelisting(parley)
  const searchIndexing = startSearchIndexing(parley)
  const notifications = startNotifications(parley, { mail, push: egress })
  const fileErasing = startFileErasing(parley)
  const stopLooking = startLooking(parley, {
    webhooks: dispatcher.tick,
    inboxes: inboxFiller.tick,
    reminders: reminders.tick,
    notifications: notifications.onLook,
    relisting: relisting.tick,
    // What a process that was killed has left; all others append their own at once.
    personalEvents: parley.personalEvents.appendLeftovers,
  })
  return {
    dispatcher,
    inboxFiller,
    /** Puts posts into inboxes when members want to be reminded of them. */
    reminders,
    /** The posts of channels that were archived or made private. */
    relisting,
    /** The upkeep of the search index. */
    searchIndexing,
    /** Mails and pushes. */
    notifications,
    fileErasing,
    async close() {
      stopLooking()
      // An interrupted delivery is sent again by the next process that claims it.
      await Promise.race([Promise.all([dispatcher.close(), notifications.close()]), Bun.sleep(STOP_TIMEOUT_MS)])
      await inboxFiller.close()
      await reminders.close()
      await relisting.close()
      await searchIndexing.close()
      await fileErasing.close()
    },
  }
}

/**
 * Has jobs do what is due, within a second. What this process writes starts them at once; this is for what falls due by
 * time, and for what other processes wrote and did not finish.
 */
function startLooking(
  { engine, clock, log }: Parley,
  jobs: Record<Work | 'relisting' | 'personalEvents', () => Promise<void>>,
): () => void {
  const all = Object.values(jobs)
  let looks = 0
  let isLooking = false
  const timer = setInterval(() => {
    if (!isLooking) void look()
  }, LOOK_MS)
  timer.unref()
  return () => clearInterval(timer)

  async function look() {
    isLooking = true
    try {
      // One after the other, each job also looks for itself: there is work that is not looked for here.
      void all[looks++ % all.length]!()
      for (const work of await engine.read((db) => listDueWork(db, clock()))) void jobs[work]()
    } catch (error) {
      log.warn('Could not look for what is due; will retry', { error: String(error) })
    } finally {
      isLooking = false
    }
  }
}

interface NotificationOptions {
  /** Undefined where no mails are to be sent. */
  mail: MailSettings | undefined
  push: Omit<PushOptions, 'contact'>
}

export interface Notifications extends ClaimLoop {
  /** Starts what is due, unless a test decides when that is. */
  onLook(): Promise<void>
  /** From here on only `tick` starts what is due: for tests. */
  stopTimer(): void
}

/** Starts the jobs that mail and push. */
function startNotifications(parley: Parley, { mail, push }: NotificationOptions): Notifications {
  const transport = mail && openTransport(mail)
  const contact = mail ? `mailto:${addressIn(mail.from)}` : parley.links.base
  const loops = [
    ...(transport ? [startMailer(parley, transport), startDigests(parley, transport)] : []),
    startPusher(parley, { ...push, contact }),
  ]
  const each = (run: (loop: ClaimLoop) => Promise<void>) => Promise.all(loops.map(run)).then(() => {})
  const tick = () => each((loop) => loop.tick())
  let hasTimer = true
  return {
    tick,
    onLook: async () => (hasTimer ? tick() : undefined),
    settled: () => each((loop) => loop.settled()),
    stopTimer() {
      hasTimer = false
    },
    async close() {
      await each((loop) => loop.close())
      transport?.close()
    },
  }
}
