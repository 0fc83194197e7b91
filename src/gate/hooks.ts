import { toHookViewer, writeAsHook } from '../actions/hook-writes'
import { Problem } from '../contract/errors'
import type { HookPost } from '../contract/hooks'
import type { HookText } from '../domain/hooks'
import { hashSecret } from '../domain/secrets'
import type { Writer } from '../store/engines/db'
import { findHookCaller, type HookCaller, setHookUsed } from '../store/webhooks/hooks'
import type { Parley } from './parley'
import { Replay, type ReplayGuard } from './replay'
import { withWriteContext } from './write'

export interface HookCall {
  secret: string
  /** Called once the hook is found and not over its limit. Returns undefined if there is nothing to post. */
  readText: () => Promise<HookText | undefined>
  idempotencyKey?: string
}

const USED_INTERVAL_MS = 60_000

/** Posts what an incoming webhook was sent: find the hook → limit → read → write in a transaction → notify. */
export async function postByHook(
  parley: Parley,
  { secret, readText, idempotencyKey }: HookCall,
): Promise<HookPost | undefined> {
  const hash = hashSecret(secret)
  const caller = await parley.engine.read((db) => findHookCaller(db, hash))
  if (!caller) throw unknownHook()
  parley.limits.takeForHook(caller.key)
  const viewer = toHookViewer(caller)
  const text = await readText()
  if (!text) return undefined

  return parley.replays(
    viewer,
    'hooks.test',
    idempotencyKey,
    () => JSON.stringify(text),
    async (guard) => {
      try {
        const posted = await parley.engine.write((db) => write(parley, db, hash, caller, text, guard))
        parley.changes.notify(viewer.workspace.key, false)
        return posted
      } catch (error) {
        if (error instanceof Replay) return JSON.parse(error.answer) as HookPost
        throw error
      }
    },
  )
}

/** The hook is looked up again: while its body was read, it may have been deleted, or its owner may have lost access. */
const write = (
  parley: Parley,
  db: Writer,
  hash: string,
  caller: HookCaller,
  text: HookText,
  guard: ReplayGuard | undefined,
): Promise<HookPost> =>
  withWriteContext(parley, db, toHookViewer(caller), async (context) => {
    const current = await findHookCaller(db, hash)
    if (!current) throw unknownHook()
    const asHook = { ...context, viewer: toHookViewer(current) }
    await guard?.replayIfKnown(asHook)

    const posted = await writeAsHook(asHook, current, text)
    if (context.now - (current.last_used_at ?? 0) >= USED_INTERVAL_MS) await setHookUsed(db, current.key, context.now)
    await guard?.keep(db, context.now, { answer: JSON.stringify(posted), subject_id: '' })
    return posted
  })

const unknownHook = () =>
  new Problem('unauthenticated', 'There is no incoming webhook with this address, or it was deleted.')
