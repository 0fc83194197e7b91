import type { Kysely } from 'kysely'
import type { Flavour } from '../engines/flavour'
import * as foundation from './001-foundation'
import * as webhooks from './002-webhooks'
import * as accounts from './003-accounts'
import * as mentions from './009-mentions'

export interface Migration {
  up(db: Kysely<never>, flavour: Flavour): Promise<void>
}

/** In order, for ever: a migration that was released is never changed, only followed. */
export const migrations: readonly { number: number; name: string; migration: Migration }[] = [
  { number: 1, name: 'foundation', migration: foundation },
  { number: 2, name: 'webhooks', migration: webhooks },
  { number: 3, name: 'accounts', migration: accounts },
  { number: 9, name: 'mentions', migration: mentions },
]
