import { html } from '../../domain/html'
import { mailTime, nextAllowedTime } from '../../domain/quiet-times'
import type { Parley } from '../../gate/parley'
import { findRecipient } from '../../store/attention/mails'
import {
  claimDueDigests,
  findTimes,
  hasDueDigest,
  type NotificationState,
  setNotificationState,
} from '../../store/attention/notices'
import type { Reader, Writer } from '../../store/engines/db'
import { findMemberViewer } from '../../store/people/members'
import { type ClaimLoop, startClaimLoop } from '../claim-loop'
import { type Notice, readNotices } from '../notices'
import { renderMail } from './compose'
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

interface DigestDetails {
  to: string
  memberId: string
  workspace: string
  base: string
  notices: readonly Notice[]
  /** There is more than the mail shows. */
  hasMore: boolean
  /** The revision it reaches up to. */
  revision: number
  unsubscribeUrl: string
}

const TITLE = 'margin:0;font-size:15px;font-weight:600'
const EXCERPT = 'margin:4px 0 0;color:#4a4a4f'
const WHAT = 'margin:2px 0 0;color:#6b6b70;font-size:13px'

/** A mail about what is unread. The same revision has the same id, so that receivers can drop a second one. */
function renderDigest(digest: DigestDetails): Mail {
  const { to, memberId, workspace, base, notices, hasMore, revision, unsubscribeUrl } = digest
  const host = new URL(base).hostname
  const [first] = notices
  const isOne = notices.every(({ subjectId }) => subjectId === first!.subjectId) && !hasMore
  const subject = isOne ? `${first!.what} · ${first!.title}` : `${workspace}: ${countOf(notices, hasMore)} unread`
  const content = {
    title: isOne ? first!.title : `What’s new in ${workspace}`,
    paragraphs: [],
    more: { text: notices.map((notice) => toText(base, notice)).join('\n\n'), html: toHtml(base, notices) },
    buttons: [{ label: hasMore ? 'See everything in your inbox' : 'Open inbox', url: `${base}/inbox` }],
    footer: [
      `You get this e-mail because it is unread in ${workspace}. Change how often: ${base}/settings/notifications`,
      `Stop these e-mails: ${unsubscribeUrl}`,
    ],
  }
  return {
    to,
    subject,
    ...renderMail(content),
    messageId: `<digest.${revision}.${memberId}@${host}>`,
    // Mail clients show mails about one post as one conversation.
    ...(isOne && { references: [`<${first!.subjectId}.${memberId}@${host}>`] }),
    headers: {
      'List-Unsubscribe': `<${unsubscribeUrl}>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    },
  }
}

const countOf = (notices: readonly Notice[], hasMore: boolean) => `${notices.length}${hasMore ? '+' : ''}`

const toText = (base: string, { title, what, excerpt, path }: Notice) =>
  [title, what, ...(excerpt ? [`> ${excerpt}`] : []), base + path].join('\n')

const toHtml = (base: string, notices: readonly Notice[]) =>
  html`${notices.map(
    ({ title, what, excerpt, path }) => html`<div style="padding:14px 0;border-top:1px solid #ecebe7">
<p dir="auto" style="${TITLE}"><a href="${base + path}" style="color:#1d1d1f;text-decoration:none">${title}</a></p>
<p dir="auto" style="${WHAT}">${what}</p>
${excerpt ? html`<p dir="auto" style="${EXCERPT}">${excerpt}</p>\n` : undefined}</div>
`,
  )}`

const MINUTE = 60_000
const HOUR = 60 * MINUTE

/** The delay after each failed attempt. Servers that greylist accept a mail after a few minutes. */
export const RETRIES_MS = [1, 5, 15, 30, 60]
  .map((minutes) => minutes * MINUTE)
  .concat([2, 4, 8, 16].map((h) => h * HOUR))

/** When to retry after so many attempts; null if there are no more retries. */
export function nextAttempt(attempts: number, now: number): number | null {
  const wait = RETRIES_MS[attempts - 1]
  return wait === undefined ? null : now + wait
}
