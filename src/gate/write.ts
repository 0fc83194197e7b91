import { actionNamed } from '../actions'
import { findPostToComment } from '../actions/comments'
import type { WriteContext } from '../actions/context'
import { findThreadToWriteIn } from '../actions/messages'
import { findPostToReactTo } from '../actions/reactions'
import { type Input, type OperationName, operations } from '../contract'
import { type Operation, successStatus } from '../contract/operation'
import { subjectOfResult } from '../domain/events/effects'
import type { FileLimits } from '../domain/files'
import type { Viewer } from '../domain/permissions'
import { networksFrom } from '../networks'
import {
  type ChangeContext,
  type ChangeParts,
  changeWorkspace,
  hasConcurrentWriters,
  NeedsLock,
  Unchanged,
} from '../store/changes/change'
import { type Effect, type SharedOrigin, type SharedWrites, writeShared } from '../store/changes/shared-writes'
import type { Reader, Writer } from '../store/engines/db'
import { lockWorkspaces } from '../store/people/workspaces'
import { type Answer, type Call, JSON_TYPE } from './answer'
import { type Bearer, findCallers, requireCaller, requireRights, requireSameRole, toBearer } from './bearers'
import { checkOutput } from './check'
import type { Parley } from './parley'
import { Replay, type ReplayGuard, type StoredResponse } from './replay'

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
  const { effect = 'any' }: { effect?: Effect } = operations[name]
  const isAppendedLater = effect === 'personal' && hasConcurrentWriters(parley.engine)
  let hasDeleted = false
  const run = async (isConcurrent: boolean): Promise<unknown> => {
    const work = async (db: Writer, writes: SharedWrites) => {
      if (workspaceKeys.length > 1) await lockWorkspaces(db, workspaceKeys)
      const options = { writes, effect, needsLock: !isConcurrent }
      return changeWorkspace(parley, db, asCaller(bearer.viewer), (context) => runAction(context, writes), options)
    }
    const runAction = async (context: ChangeContext, writes: SharedWrites) => {
      const callers = await findCallers(context.db, writes, bearer)
      const viewer = asCaller(requireCaller(callers, bearer, context.now).viewer)
      requireRights(viewer, operations[name])
      if (given !== undefined) requireSameRole(viewer, bearer.viewer)
      const found = writes.find(context.db, callers)
      const lookUp = <T>(find: () => Promise<T>) => (found as Promise<T> | undefined) ?? find()
      const current = { ...toWriteContext(parley, context), viewer, prepared, lookUp }
      await guard?.replayIfKnown(current)
      const result = await actionNamed(name)(current, input)
      if (context.isChanged()) await guard?.keep(context.db, context.now, answerOf(name, result))
      hasDeleted = context.hasDeleted()
      return result
    }
    // One that changes several workspaces shares its transaction with no other: it locks them in an order of its own.
    const isShared = workspaceKeys.length === 1
    // Done under the lock after all, a personal change waits for those that the member makes beside it.
    const mayDo = effect === 'personal' && !isConcurrent ? 'any' : effect
    const origin = isShared ? { ...originOf(name, bearer, input), effect: mayDo, isConcurrent } : undefined
    try {
      const output = await writeShared(parley.engine, work, origin)
      if (isAppendedLater) parley.personalEvents.append(bearer.viewer.workspace.key, bearer.viewer.author.key)
      else for (const key of workspaceKeys) parley.changes.notify(key, hasDeleted)
      return output
    } catch (error) {
      if (error instanceof NeedsLock) return run(false)
      throw error
    }
  }
  try {
    return { output: await run(isAppendedLater) }
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

function originOf(name: OperationName, { viewer, row: { hash } }: Bearer, input: unknown): SharedOrigin {
  const lookUp = lookUps[name]
  return {
    workspaceKey: viewer.workspace.key,
    authorKey: viewer.author.key,
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
const answerOf = (name: OperationName, result: unknown): StoredResponse => ({
  answer: operations[name].secret ? null : JSON.stringify(result ?? null),
  subject_id: subjectOfResult(name, result),
})

const NO_NETWORKS = networksFrom([])
/** For operations without an upload. */
const NO_FILES: FileLimits = { maxFileBytes: 0, quotaBytes: 0, hasImageProxy: false }

/** What actions need; the command line has no files. */
type ActionParts = ChangeParts & Pick<Parley, 'vault' | 'webhookNetworks'> & { files?: { limits: FileLimits } }

/** Changes a workspace by actions, without a request: for the command line, the first start and incoming webhooks. */
export const withWriteContext = <T>(
  parley: ActionParts,
  db: Writer,
  viewer: Viewer,
  work: (context: WriteContext) => Promise<T>,
): Promise<T> => changeWorkspace(parley, db, viewer, (context) => work(toWriteContext(parley, context)))

const toWriteContext = ({ vault, webhookNetworks, files }: ActionParts, context: ChangeContext): WriteContext => ({
  ...context,
  vault,
  webhookNetworks: webhookNetworks ?? NO_NETWORKS,
  fileLimits: files?.limits ?? NO_FILES,
  lookUp: (find) => find(),
})

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
  if (parley.checkAnswers && replayed === undefined) checkOutput(name, output)
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
  'me.setPassword': ({ accounts }, viewer, input) => accounts.preparePassword(viewer, input),
  'me.deletePassword': ({ accounts }, viewer, input) => accounts.prepareRemoval(viewer, input),
  'me.changeEmail': ({ accounts }, viewer, input) => accounts.prepareEmailChange(viewer, input),
  'members.sendInvitation': ({ accounts }, viewer, { member_id }) => accounts.limitInvitations(viewer, member_id),
}
