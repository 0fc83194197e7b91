import { resolve } from 'node:path'
import { openSharedWrites } from './changes/shared-writes'
import type { Engine, EngineOptions } from './engines/engine'
import { COMMAND_BEGIN_MS, type Deadlines, HOUR_MS } from './engines/postgres/deadlines'
import { openSqlite } from './engines/sqlite/open'

/** Loaded where it is used: it takes part of the time of every start and every command. */
const postgres = (): typeof import('./engines/postgres/open') => require('./engines/postgres/open')

/** The engine a `DATABASE_URL` names. */
export const openEngine = (
  url: string,
  options: EngineOptions & { poolSize?: number; deadlines?: Partial<Deadlines> } = {},
): Engine =>
  url.startsWith('sqlite:')
    ? openSqlite(resolve(url.slice('sqlite:'.length)), { openGroup: openSharedWrites, ...options })
    : postgres().openPostgres(url, { openGroup: openSharedWrites, ...options })

/** The same for a command of the operator, which may read everything there is. */
export const openEngineForCommand = (url: string): Engine =>
  openEngine(url, { poolSize: 2, deadlines: { beginMs: COMMAND_BEGIN_MS, statementMs: HOUR_MS } })
