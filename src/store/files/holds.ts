import type { Reader } from '../engines/db'
import type { Engine } from '../engines/engine'
import { findVersion } from '../health'

const HOLD_MS = 5 * 60_000
const RENEW_MS = 60_000

/** The version of the schema. */
const FIRST_WITH_FILES = 21

/**
 * While the work runs, no object is deleted from the storage. If the process is killed, the hold ends after five minutes. A database
 * of a version without files, or an empty one, needs no hold.
 */
export async function whileHeld<T>(engine: Engine, work: () => Promise<T>): Promise<T> {
  const version = await engine.read(findVersion).catch(() => 0)
  return version >= FIRST_WITH_FILES ? hold(engine, work) : work()
}

async function hold<T>(engine: Engine, work: () => Promise<T>): Promise<T> {
  const id = crypto.randomUUID()
  const renew = () =>
    engine.writeAlone((db) => {
      const until = Date.now() + HOLD_MS
      return db
        .insertInto('backup_holds')
        .values({ id, until })
        .onConflict((conflict) => conflict.column('id').doUpdateSet({ until }))
        .execute()
    })
  await renew()
  // If a renewal fails, the next one still comes before the hold ends.
  const timer = setInterval(() => void renew().catch(() => {}), RENEW_MS)
  try {
    return await work()
  } finally {
    clearInterval(timer)
    await engine.writeAlone((db) => db.deleteFrom('backup_holds').where('id', '=', id).execute())
  }
}

/** Whether a backup is running. Until it has finished, no object may be deleted. */
export const isHeldForBackup = async (db: Reader, now: number): Promise<boolean> =>
  (await db.selectFrom('backup_holds').where('until', '>', now).select('id').executeTakeFirst()) !== undefined
