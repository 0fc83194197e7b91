import { actionNamed } from '../actions'
import { findPostToComment } from '../actions/comments'
import type { EventLocation, WriteContext } from '../actions/context'
import { requireMail } from '../actions/mails'
import { findThreadToWriteIn } from '../actions/messages'
import { findPostToReactTo } from '../actions/reactions'
import { type Input, type OperationName, operations } from '../contract'
import { notFound } from '../contract/errors'
import type { EventType } from '../contract/event-types'
import { type Operation, successStatus } from '../contract/operation'
import { deletesContent, isAboutContent, isNested, subjectOfAnswer, subjectOfEvent } from '../domain/events/effects'
import { newNonce } from '../domain/events/positions'
import { recipientList } from '../domain/events/visibility'
import type { FileLimits } from '../domain/files'
import { canReplacePassword, opensFor } from '../domain/passwords'
import type { Viewer } from '../domain/permissions'
import { networksFrom } from '../networks'
import { findPassword } from '../store/accounts/passwords'
import type { Turn, WriteOrigin } from '../store/changes/shared-writes'
import type { Reader, Writer } from '../store/engines/db'
import { appendEvents, type EventRow } from '../store/log/events'
import { findMember } from '../store/people/members'
import { lockWorkspace, lockWorkspaces } from '../store/people/workspaces'
import { indexEvents } from '../store/search/documents'
import { countLoginAttempt, throttleInvitations, throttleMailsOf } from './accounts/login-throttle'
import { currentPasswordRequired, provePassword } from './accounts/password-proof'
import { type Answer, type Call, JSON_TYPE } from './answer'
import { type Bearer, findCallers, requireCaller, requireRights, requireSameRole, toBearer } from './bearers'
import { checkAnswer } from './check'
import type { Parley } from './parley'
import { type KeptAnswer, Replay, type ReplayGuard } from './replay'

/** Thrown out of a transaction in which nothing happened, so that it leaves nothing behind, no revision either. */
export class Unchanged {
  constructor(readonly output: unknown) {}
}

export interface WriteResult {
  output: unknown
  /** The answer was given before, to the same request. */
  replayed?: string
}

/** Does an operation in one transaction, once for each `Idempotency-Key`, for a caller who may do it at that moment. */
export async function write(
  parley: Parley,
  name: OperationName,
  bearer: Bearer,
  input: unknown,
  { guard, via, prepared: given }: { guard?: ReplayGuard; via?: string; prepared?: unknown } = {},
): Promise<WriteResult> {
  const asCaller = (viewer: Viewer): Viewer => (via && viewer.author.type === 'member' ? { ...viewer, via } : viewer)
  const prepared = given ?? (await prepare(parley, name, bearer.viewer, input, guard))
  const { workspaceKeys = [bearer.viewer.workspace.key] } = (prepared ?? {}) as Prepared
  let hasDeleted = false
  try {
    const work = async (db: Writer, turn: Turn) => {
      if (workspaceKeys.length > 1) await lockWorkspaces(db, workspaceKeys)
      return changeWorkspace(parley, db, asCaller(bearer.viewer), (context) => runAction(context, turn), turn)
    }
    const runAction = async (context: ChangeContext, turn: Turn) => {
      const callers = await findCallers(context.db, turn, bearer)
      const viewer = asCaller(requireCaller(callers, bearer, context.now).viewer)
      requireRights(viewer, operations[name])
      if (given !== undefined) requireSameRole(viewer, bearer.viewer)
      const found = turn.find(context.db, callers)
      const lookUp = <T>(find: () => Promise<T>) => (found as Promise<T> | undefined) ?? find()
      const current = { ...context, viewer, prepared, lookUp }
      await guard?.replayIfKnown(current)
      const result = await actionNamed(name)(current, input)
      if (context.isChanged()) await guard?.keep(context.db, context.now, answerOf(name, result))
      hasDeleted = context.hasDeleted()
      return result
    }
    // One that changes several workspaces shares its transaction with no other: it locks them in an order of its own.
    const isShared = workspaceKeys.length === 1
    const output = await parley.engine.write(work, isShared ? originOf(name, bearer, input) : undefined)
    for (const key of workspaceKeys) parley.changes.notify(key, hasDeleted)
    return { output }
  } catch (error) {
    if (error instanceof Unchanged) return { output: error.output }
    if (error instanceof Replay) return { output: undefined, replayed: error.answer }
    throw error
  }
}

/** Nothing for a request that was answered before: it will get the same answer, and must not count against a limit again. */
async function prepare(parley: Parley, name: OperationName, viewer: Viewer, input: unknown, guard?: ReplayGuard) {
  const preparation = preparations[name]
  if (!preparation || (await guard?.isKnown(parley.engine, parley.clock()))) return undefined
  return preparation(parley, viewer, input as never)
}

function originOf(name: OperationName, { viewer, row: { hash } }: Bearer, input: unknown): WriteOrigin {
  const lookUp = lookUps[name]
  return {
    workspaceKey: viewer.workspace.key,
    tokenHash: hash,
    lookUp:
      lookUp &&
      (async (db, callers) => {
        const row = callers.get(hash)
        return row && lookUp(db, toBearer(row).viewer, input as never)
      }),
  }
}

/** What is kept of an answer, for replays. A secret is not. An answer without a body is kept as `null` in JSON. */
const answerOf = (name: OperationName, result: unknown): KeptAnswer => ({
  answer: operations[name].secret ? null : JSON.stringify(result ?? null),
  subject_id: subjectOfAnswer(name, result),
})

const NO_NETWORKS = networksFrom([])
/** For operations without an upload. */
const NO_FILES: FileLimits = { maxFileBytes: 0, quotaBytes: 0, hasImageProxy: false }

interface ChangeContext extends WriteContext {
  isChanged(): boolean
  hasDeleted(): boolean
}

/** Locks a workspace, does the work, appends the events it announced under the next revisions. */
export async function changeWorkspace<T>(
  parley: Pick<Parley, 'clock' | 'links' | 'newId' | 'vault' | 'isMailConfigured' | 'webhookNetworks'> & {
    files?: { limits: FileLimits }
  },
  db: Writer,
  viewer: Viewer,
  work: (context: ChangeContext) => Promise<T>,
  turn?: Turn,
): Promise<T> {
  const { key } = viewer.workspace
  const now = parley.clock()
  // Not awaited before it is needed: on PostgreSQL it is on its way together with what the work asks first.
  const locking = lockRevision(db, key, turn)
  // If the work fails first, its error is the one to report.
  locking.catch(() => {})
  const events: AnnouncedEvent[] = []
  let mustCommit = false
  let hasChangedOther = false
  const output = await work({
    db,
    viewer,
    links: parley.links,
    now,
    newId: (prefix) => parley.newId(prefix, now),
    firstRevision: async () => (await locking) + 1,
    nextRevision: async () => (await locking) + events.length + 1,
    vault: parley.vault,
    webhookNetworks: parley.webhookNetworks ?? NO_NETWORKS,
    isMailConfigured: parley.isMailConfigured ?? false,
    fileLimits: parley.files?.limits ?? NO_FILES,
    lookUp: (find) => find(),
    changeOtherWorkspace: (other, change) => {
      hasChangedOther = true
      return changeWorkspace(parley, db, other, change)
    },
    commitWithoutEvents: () => {
      mustCommit = true
    },
    announce: (type, data, location = {}) => void events.push({ type, data, location }),
    isChanged: () => mustCommit || events.length > 0,
    hasDeleted: () => events.some(({ type }) => deletesContent(type)),
  })
  const revisionBefore = await locking
  if (events.length === 0 && !mustCommit) throw new Unchanged(output)
  const rows = toEventRows(viewer, now, revisionBefore, events)
  if (turn) turn.deferEvents(rows)
  else {
    await appendEvents(db, rows)
    await indexEvents(db, rows)
  }
  // What is not about content may change who the callers are and what they may do.
  if (!mustCommit && !hasChangedOther && events.every(({ type }) => isAboutContent(type)))
    turn?.passOn({
      callers: turn.known.callers,
      revision: { workspaceKey: key, revision: revisionBefore + events.length },
      found: events.every(({ type }) => isNested(type)) ? turn.known.found : undefined,
    })
  return output
}

/** Locks a workspace, and returns its revision. */
async function lockRevision(db: Writer, workspaceKey: number, turn?: Turn): Promise<number> {
  const known = turn?.known.revision
  if (known?.workspaceKey === workspaceKey) return known.revision
  const revision = await lockWorkspace(db, workspaceKey)
  if (turn) turn.known.revision = { workspaceKey, revision }
  return revision
}

interface AnnouncedEvent {
  type: EventType
  data: object
  location: EventLocation
}

/** Events of one change have one nonce, and the revisions after the one before. */
function toEventRows(viewer: Viewer, now: number, before: number, events: readonly AnnouncedEvent[]): EventRow[] {
  const nonce = newNonce()
  return events.map(({ type, data, location }, at) => ({
    workspace_key: viewer.workspace.key,
    revision: before + 1 + at,
    nonce,
    type,
    actor_key: viewer.author.key,
    channel_key: location.channel_key ?? 0,
    thread_key: location.thread_key ?? 0,
    recipients: recipientList(location.recipients ?? []),
    mentioned: recipientList(location.mentioned ?? []),
    via: viewer.via ?? null,
    created_at: now,
    data: JSON.stringify(data),
    subject_id: subjectOfEvent(type, data),
    is_redacted: deletesContent(type),
  }))
}

/**
 * Runs a write once for each `Idempotency-Key`, and answers with its result. `getInput` is called when the input is needed to
 * tell requests apart: what is uploaded is part of it.
 */
export async function answerWrite(
  parley: Parley,
  { name, idempotencyKey }: Call,
  { viewer }: Bearer,
  getInput: () => Record<string, unknown>,
  run: (guard?: ReplayGuard) => Promise<WriteResult>,
): Promise<Answer> {
  const operation: Operation = operations[name]
  const key = operation.method === 'POST' ? idempotencyKey : undefined
  const { output, replayed } = await parley.replays(viewer, name, key, () => canonicalRequest(name, getInput()), run)
  if (parley.checkAnswers && replayed === undefined) checkAnswer(name, output)
  return {
    status: successStatus(operation),
    body: operation.output ? (replayed ?? JSON.stringify(output)) : null,
    contentType: JSON_TYPE,
    headers: replayed === undefined ? {} : { 'Idempotency-Replayed': 'true' },
  }
}

/** What a request asks for, as text. The order of its fields does not matter. */
const canonicalRequest = (name: OperationName, input: Record<string, unknown>) =>
  JSON.stringify([
    name,
    ...Object.keys(input)
      .sort()
      .map((field) => [field, input[field]]),
  ])

type LookUp<O extends OperationName> = (db: Reader, viewer: Viewer, input: Input<O>) => Promise<unknown>

/**
 * What an operation adds to, for those that are called most. Writes that share a transaction look it up together, before the
 * first of them changes anything, so a result must not contain what another such write changes: counts and times. These
 * operations must not read the log: their events are inserted at the end of the transaction.
 */
const lookUps: { [O in OperationName]?: LookUp<O> } = {
  'comments.create': findPostToComment,
  'messages.create': findThreadToWriteIn,
  'reactions.add': findPostToReactTo,
  'reactions.remove': findPostToReactTo,
}

/** What a preparation may tell the gate. */
interface Prepared {
  /** The workspaces that the operation changes; by default the caller's alone. */
  workspaceKeys?: number[]
}

type Prepare<O extends OperationName> = (parley: Parley, viewer: Viewer, input: Input<O>) => Promise<unknown>

/** Slow work that is done before the transaction begins, so that no other write waits for it. */
const preparations: { [O in OperationName]?: Prepare<O> } = {
  'me.setPassword': async (parley, viewer, { password, current_password }) => {
    const before = await parley.engine.read((db) => findPassword(db, viewer.author.key))
    // A password that is not used in this workspace yet is proved by choosing it here.
    const isSame = current_password === undefined && before.hash !== undefined && !opensFor(before, viewer.author.key)
    const proof = await provePassword(
      parley,
      viewer,
      before,
      isSame ? password : current_password,
      isSame ? USED_ELSEWHERE : WRONG_PASSWORD,
    )
    if (!canReplacePassword(before, viewer.author.key, proof)) throw currentPasswordRequired(before, viewer)
    const hash = isSame ? before.hash : await parley.passwords.hash(password)
    const workspaceKeys = [...before.members.map(({ workspace_key }) => workspace_key), viewer.workspace.key]
    return { before, proof, hash, workspaceKeys: [...new Set(workspaceKeys)] }
  },
  'me.deletePassword': async (parley, viewer, { current_password }) => {
    const before = await parley.engine.read((db) => findPassword(db, viewer.author.key))
    if (!opensFor(before, viewer.author.key)) return { before }
    const proof = await provePassword(parley, viewer, before, current_password, WRONG_PASSWORD)
    if (proof === 'none') throw currentPasswordRequired(before, viewer)
    return { before }
  },
  'me.changeEmail': async (parley, viewer, { email, current_password }) => {
    const before = await parley.engine.read((db) => findPassword(db, viewer.author.key))
    const proof = await provePassword(parley, viewer, before, current_password, WRONG_PASSWORD)
    if (proof === 'none' && opensFor(before, viewer.author.key)) throw currentPasswordRequired(before, viewer)
    const limits = throttleMailsOf(email.trim().toLowerCase(), viewer.author.id)
    await countLoginAttempt(parley.engine, limits, parley.clock())
    return { proof, hash: before.hash }
  },
  'members.sendInvitation': async ({ engine, clock, isMailConfigured = false }, viewer, { member_id }) => {
    requireMail({ isMailConfigured })
    // Others of this workspace only, so that nobody uses up the limits of another one.
    if (!(await engine.read((db) => findMember(db, viewer, member_id)))) throw notFound('member')
    await countLoginAttempt(engine, throttleInvitations(member_id, viewer.workspace.id), clock())
  },
}

const WRONG_PASSWORD = 'Wrong password.'
const USED_ELSEWHERE = 'You already have a password, in another workspace. Enter it to use it here too.'
