import { nextAllowedTime } from '../../domain/quiet-times'
import type { Parley } from '../../gate/parley'
import { getPushKeys } from '../../gate/push-keys'
import { findSessionByKey } from '../../store/accounts/sessions'
import { findRecipient } from '../../store/attention/mails'
import { findTimes } from '../../store/attention/notices'
import {
  claimDuePushes,
  deletePushSubscription,
  hasDuePush,
  type PushSubscriptionRow,
  setPush,
} from '../../store/attention/push'
import type { Reader, Writer } from '../../store/engines/db'
import { findMemberViewer } from '../../store/people/members'
import { type ClaimLoop, startClaimLoop } from '../claim-loop'
import { type Notice, readNotices } from '../notices'
import { type PushMessage, type PushOptions, sendPush } from './send'

const MAX_SENDERS = 16
/** More than so many become one message. */
const MAX_MESSAGES = 5
const MAX_BODY = 200
const LOOKUP_AND_RECORD_MS = 15_000
/** The delay after each failed attempt; then the message is dropped. */
const RETRIES_MS = [10_000, 60_000, 5 * 60_000, 30 * 60_000]

/** Pushes what is unread to the browsers of members, as it comes. */
export function startPusher(parley: Parley, options: PushOptions): ClaimLoop {
  const { engine, clock, log, links, metrics } = parley
  const count = metrics.counter('parley_pushes_total', 'Attempts to push, by outcome.')
  return startClaimLoop<PushSubscriptionRow>(parley, {
    what: 'pushes',
    max: MAX_SENDERS,
    claimMs: (MAX_MESSAGES + 1) * options.answerMs + LOOKUP_AND_RECORD_MS,
    hasDue: hasDuePush,
    claim: claimDuePushes,
    serve,
  })

  async function serve(subscription: PushSubscriptionRow) {
    const keys = await getPushKeys(parley)
    const waitUntil = await engine.read((db) => findWait(db, subscription))
    if (waitUntil === 'ended' || !keys) return end(subscription)
    if (waitUntil !== null) return void (await set(subscription, { due_at: waitUntil, claimed_until: 0 }))

    let { pushed_revision: pushed, attempts } = subscription
    for (const { message, revision } of await readMessages(subscription)) {
      const { outcome, error } = await sendPush(subscription, message, keys, options, clock())
      count(`outcome="${outcome}"`)
      if (outcome === 'gone') return end(subscription)
      const retryMs = RETRIES_MS[attempts]
      if (outcome === 'retry') log.info('A push was not accepted', { error })
      if (outcome === 'retry' && retryMs !== undefined)
        return void (await set(subscription, { due_at: clock() + retryMs, attempts: attempts + 1, claimed_until: 0 }))
      pushed = revision
      attempts = 0
      if (!(await set(subscription, { pushed_revision: pushed, attempts }))) return
    }
    await engine.write((db) => finish(db, subscription, pushed))
  }

  function set(subscription: PushSubscriptionRow, changes: Parameters<typeof setPush>[2]) {
    return engine.write((db) => setPush(db, subscription, changes))
  }

  async function end({ session_key }: PushSubscriptionRow) {
    await engine.write((db) => deletePushSubscription(db, session_key))
  }

  /** Until when a member wants no pushes, null if they want them now; `ended` if the browser was signed out. */
  async function findWait(db: Reader, { session_key, author_key }: PushSubscriptionRow) {
    const now = clock()
    const session = await findSessionByKey(db, session_key)
    const member = await findRecipient(db, author_key)
    if (!session || session.expires_at <= now || !member || member.is_deactivated) return 'ended'
    const allowedAt = nextAllowedTime(await findTimes(db, author_key), now)
    return allowedAt > now ? allowedAt : null
  }

  /** As things are now: what was read or taken away meanwhile is not pushed. The oldest comes first. */
  function readMessages({ author_key, pushed_revision }: PushSubscriptionRow) {
    return engine.read(async (db) => {
      const viewer = (await findMemberViewer(db, author_key))!
      const notices = await readNotices(db, links, viewer, { after: pushed_revision }, MAX_MESSAGES + 1)
      return notices.length > MAX_MESSAGES
        ? [{ message: summaryOf(viewer.workspace.name), revision: notices[0]!.revision }]
        : notices.reverse().map((notice) => ({ message: toMessage(notice), revision: notice.revision }))
    })
  }

  /** Nothing is due, unless something has come meanwhile. */
  async function finish(db: Writer, subscription: PushSubscriptionRow, pushed: number) {
    // First: new entries wait for this, and then make it due again.
    if (!(await setPush(db, subscription, { due_at: null, claimed_until: 0 }))) return
    const viewer = await findMemberViewer(db, subscription.author_key)
    if (!viewer || (await readNotices(db, links, viewer, { after: pushed }, 1)).length === 0) return
    await setPush(db, { ...subscription, claimed_until: 0 }, { due_at: clock() })
  }
}

const toMessage = ({ title, what, excerpt, path, subjectId }: Notice): PushMessage => ({
  title,
  body: (excerpt ? `${what}: ${excerpt}` : what).slice(0, MAX_BODY).toWellFormed(),
  path,
  tag: subjectId,
})

const summaryOf = (workspace: string): PushMessage => ({
  title: workspace,
  body: `More than ${MAX_MESSAGES} things are new.`,
  path: '/inbox',
  tag: 'inbox',
})
