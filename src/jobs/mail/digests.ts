import { mailTime, nextAllowedTime } from '../../domain/notification-times'
import type { Parley } from '../../gate/parley'
import type { Reader, Writer } from '../../store/db'
import { findRecipient } from '../../store/mails'
import { findMemberViewer } from '../../store/members'
import { findTimes } from '../../store/notification-settings'
import { claimDueDigests, hasDueDigest, type NotificationState, setNotificationState } from '../../store/notifications'
import { type ClaimLoop, startClaimLoop } from '../claim-loop'
import { readNotices } from '../notices'
import { renderDigest } from './digest'
import { nextAttempt } from './schedule'
import { type Mail, type MailTransport, SEND_MS } from './transport'

const MAX_SENDERS = 4
const MAX_NOTICES = 20

type Recipient = NonNullable<Awaited<ReturnType<typeof findRecipient>>>

type Plan = { mail: Mail; state: NotificationState } | { dueAt: number | null; revision?: number }

/** Mails members what is still unread when they want to hear of it. */
export function startDigests(parley: Parley, transport: MailTransport): ClaimLoop {
  const { engine, clock, log, links, metrics } = parley
  const count = metrics.counter('parley_digests_total', 'Attempts to mail what is unread, by outcome.')
  return startClaimLoop<NotificationState>(parley, {
    what: 'mails about what is unread',
    max: MAX_SENDERS,
    claimMs: 2 * SEND_MS,
    hasDue: hasDueDigest,
    claim: claimDueDigests,
    serve,
  })

  async function serve(claimed: NotificationState) {
    const plan = await engine.write((db) => prepareDigest(db, claimed))
    if (!plan) return
    if (!('mail' in plan)) return void (await engine.write((db) => finish(db, claimed, plan.revision, plan.dueAt)))
    const { mail, state } = plan
    const outcome = await transport.send(mail)
    count(`outcome="${outcome.status}"`)
    if (outcome.status !== 'sent') log.warn('A mail was not accepted', { kind: 'digest', error: outcome.error })
    const attempts = state.attempts + 1
    const retryAt = outcome.status === 'retry' ? nextAttempt(attempts, clock()) : null
    await engine.write(async (db) => {
      if (retryAt === null) await finish(db, state, state.mailing_revision!, null)
      else await setNotificationState(db, state, { mail_due_at: retryAt, attempts, claimed_until: 0 })
    })
  }

  /** Notes up to which revision the mail is, before it is sent: sent again, it has the same id and is about the same. */
  async function prepareDigest(db: Writer, claimed: NotificationState): Promise<Plan | undefined> {
    const now = clock()
    const times = await findTimes(db, claimed.author_key)
    const allowedAt = nextAllowedTime(times, now)
    const member = await findRecipient(db, claimed.author_key)
    if (!member || member.is_deactivated || times.mail === 'never') return { dueAt: null }
    if (allowedAt > now) return { dueAt: allowedAt }
    const found = await compose(db, claimed, member)
    if (!found) return { dueAt: null, revision: claimed.mailing_revision ?? claimed.mailed_revision }
    const state = { ...claimed, mailing_revision: found.revision }
    if (!(await setNotificationState(db, claimed, { mailing_revision: found.revision }))) return undefined
    return { mail: found.mail, state }
  }

  async function compose(
    db: Reader,
    { author_key, mailed_revision, mailing_revision, ...state }: NotificationState,
    member: Recipient,
  ) {
    const viewer = (await findMemberViewer(db, author_key))!
    const revisions = { after: mailed_revision, upTo: mailing_revision ?? undefined }
    const notices = await readNotices(db, links, viewer, revisions, MAX_NOTICES + 1)
    if (notices.length === 0) return undefined
    const revision = mailing_revision ?? notices[0]!.revision
    const mail = renderDigest({
      to: member.email,
      memberId: member.id,
      workspace: member.workspace_name,
      base: links.base,
      notices: notices.slice(0, MAX_NOTICES),
      hasMore: notices.length > MAX_NOTICES,
      revision,
      unsubscribeUrl: `${links.base}/unsubscribe/${state.unsubscribe_token}`,
    })
    return { mail, revision }
  }

  /** Ends a mail. What has come meanwhile is mailed later. */
  async function finish(db: Writer, state: NotificationState, revision: number | undefined, dueAt: number | null) {
    const done = revision === undefined ? {} : { mailed_revision: revision, mailing_revision: null, attempts: 0 }
    // First: new entries wait for this, and then set when they are due.
    if (!(await setNotificationState(db, state, { ...done, mail_due_at: dueAt, claimed_until: 0 }))) return
    if (revision === undefined || dueAt !== null) return
    const viewer = await findMemberViewer(db, state.author_key)
    if (!viewer || (await readNotices(db, links, viewer, { after: revision }, 1)).length === 0) return
    const times = await findTimes(db, state.author_key)
    const released = { ...state, claimed_until: 0 }
    await setNotificationState(db, released, { mail_due_at: mailTime(times, clock(), false) })
  }
}
