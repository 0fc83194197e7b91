import type { Parley } from '../../gate/parley'
import { claimDueMails, hasDueMail, type MailRow, setMail } from '../../store/attention/mails'
import { type ClaimLoop, startClaimLoop } from '../claim-loop'
import { composeMail, renderMail } from './compose'
import { nextAttempt } from './digests'
import { type MailTransport, type Outcome, SEND_MS } from './transport'

const MAX_SENDERS = 4

/** Sends mails to single people: invitations, links, confirmations. */
export function startMailer(parley: Parley, transport: MailTransport): ClaimLoop {
  const { engine, clock, log, metrics, links } = parley
  const count = metrics.counter('parley_mails_total', 'Attempts to send a mail, by outcome.')
  const host = new URL(links.base).hostname
  return startClaimLoop<MailRow>(parley, {
    what: 'mails',
    max: MAX_SENDERS,
    claimMs: 2 * SEND_MS,
    hasDue: hasDueMail,
    claim: claimDueMails,
    serve,
  })

  async function serve(mail: MailRow) {
    const composed = await engine.write((db) => composeMail(parley, db, mail))
    if (!composed) return void (await engine.write((db) => setMail(db, mail, { status: 'canceled', due_at: null })))
    const { to, content } = composed
    const outcome = await transport.send({
      to,
      subject: content.title,
      ...renderMail(content),
      messageId: `<${mail.id}@${host}>`,
    })
    count(`outcome="${outcome.status}"`)
    if (outcome.status !== 'sent')
      log.warn('A mail was not accepted', { mail: mail.id, kind: mail.kind, error: outcome.error })
    await engine.write((db) => setMail(db, mail, changesOf(mail, outcome, clock())))
  }
}

function changesOf(mail: MailRow, outcome: Outcome, now: number) {
  const attempts = mail.attempts + 1
  if (outcome.status === 'sent') return { status: 'sent', attempts, due_at: null, last_error: null } as const
  const due_at = outcome.status === 'rejected' ? null : nextAttempt(attempts, now)
  const status = due_at === null ? 'failed' : 'pending'
  return { status, attempts, due_at, claimed_until: 0, last_error: outcome.error } as const
}
