import type { Engine } from '../engines/engine'

const HOLD_MS = 5 * 60_000
const RENEW_MS = 60_000

/** While the work runs, no object is deleted from the storage. If the process is killed, the hold ends after five minutes. */
export async function whileHeld<T>(engine: Engine, work: () => Promise<T>): Promise<T> {
  const id = crypto.randomUUID()
  const hold = () =>
    engine.writeAlone((db) => {
      const until = Date.now() + HOLD_MS
      return db
        .insertInto('backup_holds')
        .values({ id, until })
        .onConflict((conflict) => conflict.column('id').doUpdateSet({ until }))
        .execute()
    })
  await hold()
  // If a renewal fails, the next one still comes before the hold ends.
  const timer = setInterval(() => void hold().catch(() => {}), RENEW_MS)
  try {
    return await work()
  } finally {
    clearInterval(timer)
    await engine.writeAlone((db) => db.deleteFrom('backup_holds').where('id', '=', id).execute())
  }
}
