import type { WriteContext } from '../actions/context'
import type { OperationName } from '../contract'
import { Problem } from '../contract/errors'
import type { Viewer } from '../domain/permissions'
import type { Writer } from '../store/db'
import type { Engine } from '../store/engines/engine'
import { findAnswer, insertAnswer } from '../store/idempotency'
import { requireReadable } from './replay-rights'

/** Thrown out of a transaction whose answer was given before. */
export class Replay {
  constructor(readonly answer: string) {}
}

export interface ReplayGuard {
  /** Whether a request with this key was answered before. */
  isKnown(engine: Engine, now: number): Promise<boolean>
  /** Throws the answer that was given before, if the caller may still see what it shows. */
  replayIfKnown(context: WriteContext): Promise<void>
  keep(db: Writer, now: number, answer: KeptAnswer): Promise<void>
}

export interface KeptAnswer {
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
    isKnown: (engine, now) => engine.read(async (db) => (await findAnswer(db, owner, key, now)) !== undefined),
    async replayIfKnown(context) {
      const known = await findAnswer(context.db, owner, key, context.now)
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
      await insertAnswer(db, { ...owner, key, request_hash: hashRequest(), ...answer, created_at: now })
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
