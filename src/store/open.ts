import { resolve } from 'node:path'
import type { Engine, EngineOptions } from './engines/engine'
import { openSqlite } from './engines/sqlite'

/** Loaded where it is used: it takes part of the time of every start and every command. */
const postgres = (): typeof import('./engines/postgres') => require('./engines/postgres')

/** The engine a `DATABASE_URL` names. */
export const openEngine = (url: string, options: EngineOptions & { poolSize?: number } = {}): Engine =>
  url.startsWith('sqlite:')
    ? openSqlite(resolve(url.slice('sqlite:'.length)), options)
    : postgres().openPostgres(url, options)
