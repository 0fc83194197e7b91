import type { Parley } from '../gate/parley'
import type { ClaimLoop } from './claim-loop'
import { startDigests } from './mail/digests'
import { startMailer } from './mail/mailer'
import { addressIn, type MailSettings, openTransport } from './mail/transport'
import { startPusher } from './push/pusher'
import type { PushOptions } from './push/send'

export interface NotificationOptions {
  /** Undefined where no mails are to be sent. */
  mail: MailSettings | undefined
  push: Omit<PushOptions, 'contact'>
}

export type Notifications = ClaimLoop

/** Starts the jobs that mail and push. */
export function startNotifications(parley: Parley, { mail, push }: NotificationOptions): Notifications {
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
