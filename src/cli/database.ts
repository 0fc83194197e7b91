import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Config } from '../config'
import type { Engine } from '../store/engines/engine'
import { StartError } from '../store/engines/start-error'
import { openEngineForCommand } from '../store/open'

/** SQLite creates a file that does not exist. A command that does not set up a database must not. */
export function requireDatabase({ databaseUrl }: Pick<Config, 'databaseUrl'>) {
  const file = databaseUrl.match(/^sqlite:(.+)$/)?.[1]
  if (!file || existsSync(resolve(file))) return
  throw new StartError(
    `There is no database ${resolve(file)}. Set DATABASE_URL as for the server; if there is none yet, start the server once.`,
  )
}

/** Opens the database in the settings, if it exists. */
export async function withExistingEngine<T>(config: Config, work: (engine: Engine) => Promise<T>): Promise<T> {
  const { databaseUrl } = config
  requireDatabase(config)
  const engine = openEngineForCommand(databaseUrl)
  try {
    await engine.ping()
    return await work(engine)
  } finally {
    await engine.close()
  }
}
