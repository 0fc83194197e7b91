import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Config } from '../config'
import type { Engine } from '../store/engines/engine'
import { StartError } from '../store/engines/start-error'
import { openEngine } from '../store/open'

/** Opens the database in the settings, if it exists. */
export async function withExistingEngine<T>({ databaseUrl }: Config, work: (engine: Engine) => Promise<T>): Promise<T> {
  const file = databaseUrl.match(/^sqlite:(.+)$/)?.[1]
  if (file && !existsSync(resolve(file))) throw new StartError(`There is no database ${resolve(file)}.`)
  const engine = openEngine(databaseUrl, { poolSize: 2 })
  try {
    await engine.ping()
    return await work(engine)
  } finally {
    await engine.close()
  }
}
