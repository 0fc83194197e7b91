import { resolve } from 'node:path'
import type { Engine, EngineOptions } from './engines/engine'
import { openPostgres } from './engines/postgres'
import { openSqlite } from './engines/sqlite'

/** The engine a `DATABASE_URL` names. */
export const openEngine = (url: string, options: EngineOptions & { poolSize?: number } = {}): Engine =>
  url.startsWith('sqlite:') ? openSqlite(resolve(url.slice('sqlite:'.length)), options) : openPostgres(url, options)
