import * as channels from '../actions/channels'
import * as comments from '../actions/comments'
import type { ReadContext, WriteContext } from '../actions/context'
import * as files from '../actions/files'
import * as groups from '../actions/groups'
import * as members from '../actions/members'
import * as messages from '../actions/messages'
import * as posts from '../actions/posts'
import * as threads from '../actions/threads'
import * as webhooks from '../actions/webhooks'
import type { OperationName, OperationNamed, Output } from '../contract'
import { notFound, Problem } from '../contract/errors'
import type { Viewer } from '../domain/permissions'
import type { Writer } from '../store/engines/db'
import type { Engine } from '../store/engines/engine'
import { findStoredResponse, storeResponse } from '../store/log/idempotency'
import { findApp } from '../store/people/apps'

/** Thrown out of a transaction whose answer was given before. */
export class Replay {
  constructor(readonly answer: string) {}
}

export interface ReplayGuard {
  /** Whether a request with this key was answered before. */
  isKnown(engine: Engine, now: number): Promise<boolean>
  /** Throws the answer that was given before, if the caller may still see what it shows. */
  replayIfKnown(context: WriteContext): Promise<void>
  keep(db: Writer, now: number, answer: StoredResponse): Promise<void>
}

export interface StoredResponse {
  /** Null where it shows a secret. */
  answer: string | null
  /** The post, comment or message it shows, or empty. */
  subject_id: string
}

/** Sees to it that a request with an `Idempotency-Key` happens once. */
export function openReplays() {
  const running = new Set<string>()

  return async function guarded<T>(
    viewer: Viewer,
    operation: OperationName,
    key: string | undefined,
    request: () => string,
    work: (guard?: ReplayGuard) => Promise<T>,
  ): Promise<T> {
    if (key === undefined) return work()
    refuseMalformed(key)
    const name = `${viewer.author.key} ${key}`
    if (running.has(name))
      throw new Problem(
        'idempotency_in_progress',
        'A request with this Idempotency-Key is still running. Ask again later.',
        undefined,
        {
          'Retry-After': '1',
        },
      )
    running.add(name)
    try {
      return await work(guardOf(viewer, operation, key, request))
    } finally {
      running.delete(name)
    }
  }
}

function guardOf(viewer: Viewer, operation: OperationName, key: string, request: () => string): ReplayGuard {
  const owner = { workspace_key: viewer.workspace.key, author_key: viewer.author.key }
  // This is called only when it is needed, because it includes the hash of an upload.
  const hashRequest = () => new Bun.CryptoHasher('sha256').update(request()).digest('hex')
  return {
    isKnown: (engine, now) => engine.read(async (db) => (await findStoredResponse(db, owner, key, now)) !== undefined),
    async replayIfKnown(context) {
      const known = await findStoredResponse(context.db, owner, key, context.now)
      if (!known) return
      if (known.request_hash !== hashRequest())
        throw new Problem(
          'idempotency_key_reused',
          'This Idempotency-Key was used for another request. Use a new key.',
          [{ in: 'header', name: 'Idempotency-Key', message: 'It was used for another request.' }],
        )
      if (known.answer === null)
        throw new Problem(
          'secret_already_shown',
          'This request was already carried out, and its secret is shown only once.',
        )
      if (known.answer === '')
        throw new Problem(
          'not_found',
          'This request was already carried out, but what it created has been deleted since.',
        )
      await requireReadable(context, operation, known.answer)
      throw new Replay(known.answer)
    },
    async keep(db, now, answer) {
      await storeResponse(db, { ...owner, key, request_hash: hashRequest(), ...answer, created_at: now })
    },
  }
}

function refuseMalformed(key: string) {
  if (/^[\x21-\x7e]{1,255}$/.test(key)) return
  const message = 'It must be 1 to 255 visible ASCII characters, without spaces.'
  throw new Problem('invalid_input', `Idempotency-Key: ${message}`, [
    { in: 'header', name: 'Idempotency-Key', message },
  ])
}

/** The operations whose answers are stored under an `Idempotency-Key`: each POST whose answer shows no secret. */
type StoredOperation = {
  [O in OperationName]: OperationNamed<O> extends { method: 'POST'; output: object }
    ? OperationNamed<O> extends { secret: true }
      ? never
      : O
    : never
}[OperationName]

type Read<O extends OperationName> = (context: ReadContext, answer: Output<O>) => Promise<unknown>

/** Reads what a stored answer shows, as its caller may read it now; throws where they may not. */
const reads: { [O in StoredOperation]: Read<O> } = {
  'posts.create': (context, { id }) => posts.get(context, { id }),
  'posts.resolve': (context, { id }) => posts.get(context, { id }),
  'comments.create': (context, { id }) => comments.get(context, { id }),
  'channels.create': (context, { id }) => channels.get(context, { id }),
  'threads.create': (context, { id }) => threads.get(context, { id }),
  'messages.create': (context, { id }) => messages.get(context, { id }),
  'messages.createDirect': (context, { id }) => messages.get(context, { id }),
  'members.create': (context, { id }) => members.get(context, { id }),
  // Whoever may invite sees all members.
  'invitations.create': async () => undefined,
  'groups.create': (context, { id }) => groups.get(context, { id }),
  'apps.create': async ({ db, viewer }, { id }) => {
    if (!(await findApp(db, viewer, id))) throw notFound('app')
  },
  'files.upload': (context, { id }) => files.get(context, { id }),
  // It shows what the caller sent, and changes nothing.
  'markdown.render': async () => undefined,
  // It says where something was posted, and shows nothing of it.
  'hooks.test': async () => undefined,
  'webhooks.ping': (context, { id }) => webhooks.delivery(context, { id }),
  'webhooks.replay': (context, { id }) => webhooks.get(context, { id }),
  'webhooks.redeliver': (context, { id }) => webhooks.delivery(context, { id }),
}

/** Throws where the caller may no longer see what the stored answer of an operation shows. */
async function requireReadable(context: WriteContext, name: OperationName, answer: string): Promise<void> {
  // Answers without a body show nothing.
  const read = reads[name as StoredOperation] as Read<OperationName> | undefined
  await read?.({ ...context, ...readOnce }, JSON.parse(answer))
}

const readOnce = {
  revision: 0,
  searchBudget: 0,
  volatile: () => {},
  onRevisionChanged: () => {},
}
