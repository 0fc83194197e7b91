import type { ServerOptions } from '../../src/server'
import { startTestServer } from '../server'
import { send } from '../session/browser'
import { world } from '../world'
import { type Mailbox, openMailbox } from './smtp'

/** A workspace on a server that mails to this mailbox. What its members' invitations say is not of interest. */
export async function mailWorld(given?: Mailbox, env: Record<string, string> = {}, options: ServerOptions = {}) {
  const mailbox = given ?? (await openMailbox())
  const server = await startTestServer(
    { SMTP_URL: `smtp://127.0.0.1:${mailbox.port}`, MAIL_FROM: 'Parley <parley@example.com>', ...env },
    options,
  )
  server.notifications()!.stopTimer()
  const cast = await world(server)
  await deliver()
  mailbox.mails.length = 0
  return {
    ...cast,
    mailbox,
    deliver,
    /** Posts to one of the endpoints for pages that are not signed in. */
    ask: (path: string, body: object) => send(server.url, 'POST', path, body),
    async [Symbol.asyncDispose]() {
      await server.stop()
      if (!given) await mailbox.close()
    },
  }

  /** Sends everything that is due. */
  async function deliver() {
    const notifications = server.notifications()!
    await notifications.tick()
    await notifications.settled()
  }
}

/** The secret in the first link of a mail, or in the one that a pattern matches. */
export const tokenIn = (text: string): string => /#token=(\S+)/.exec(text)![1]!
