import type { Parley } from '../gate/parley'
import type { Networks } from '../networks'
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

interface NotificationOptions {
  /** Undefined where no mails are to be sent. */
  mail: MailSettings | undefined
  push: Omit<PushOptions, 'contact'>
}

export type Notifications = ClaimLoop

/** Starts the jobs that mail and push. */
function startNotifications(parley: Parley, { mail, push }: NotificationOptions): Notifications {
  const transport = mail && openTransport(mail)
  const contact = mail ? `mailto:${addressIn(mail.from)}` : parley.links.base
  const loops = [
    ...(transport ? [startMailer(parley, transport), startDigests(parley, transport)] : []),
    startPusher(parley, { ...push, contact }),
  ]
  const each = (run: (loop: ClaimLoop) => Promise<void>) => Promise.all(loops.map(run)).then(() => {})
  return {
    tick: () => each((loop) => loop.tick()),
    settled: () => each((loop) => loop.settled()),
    stopTimer: () => loops.forEach((loop) => void loop.stopTimer()),
    async close() {
      await each((loop) => loop.close())
      transport?.close()
    },
  }
}
