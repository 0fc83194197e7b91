import type { Parley } from '../gate/parley'
import { deleteOldAnswers } from '../store/idempotency'
import { deleteOldSignInLinks } from '../store/sign-in-links'
import { deleteExpiredSessions } from '../store/tokens'

const EVERY_MS = 10 * 60 * 1000

/** Forgets, every few minutes, what is past its time: replayable answers, sessions, sign-in links. */
export function startCleanUp(parley: Parley): () => void {
  const timer = setInterval(() => void cleanUp(parley).catch((error) => report(parley, error)), EVERY_MS)
  timer.unref()
  return () => clearInterval(timer)
}

export async function cleanUp({ engine, clock }: Pick<Parley, 'engine' | 'clock'>): Promise<void> {
  while ((await engine.write((db) => deleteOldAnswers(db, clock()))) > 0) await Bun.sleep(0)
  await engine.write(async (db) => {
    await deleteExpiredSessions(db, clock())
    await deleteOldSignInLinks(db, clock())
  })
}

const report = ({ log }: Parley, error: unknown) =>
  log.warn('Could not clean up; it is tried again', { error: String(error) })
