import { openAccounts } from '../accounts'
import { openHasher } from '../accounts/parts'
import type { IdPrefix } from '../domain/ids'
import type { Links } from '../domain/links'
import type { Vault } from '../domain/secrets'
import type { Log } from '../log'
import type { Metrics } from '../metrics'
import type { Networks } from '../networks'
import type { Engine } from '../store/engines/engine'
import { findBacklog } from '../store/webhooks/webhooks'
import { openBearers } from './bearers'
import { BUDGET_MS, openCostlyReads } from './costly-reads'
import { type FileParts, openFiles } from './files/files'
import { openRateLimit } from './limits'
import { openChanges, openStreams, type StreamLimits } from './live/changes'
import { openFeeds } from './live/feeds'
import { openPersonalEvents } from './live/personal-events'
import { openPresence } from './presence'
import { openReplays } from './replay'
import { openResponseCache } from './responses'

export interface ParleyParts {
  engine: Engine
  links: Links
  log: Log
  metrics: Metrics
  clock: () => number
  newId: (prefix: IdPrefix, now: number) => string
  rateLimit: number
  streamLimits?: StreamLimits
  /** How many bytes of responses may be cached. */
  cacheBytes: number
  /** Undefined where the operator gave no key. */
  vault?: Vault
  /** Private networks that webhooks may connect to. */
  webhookNetworks?: Networks
  fileParts: FileParts
  /** Whether mails can be sent. */
  isMailConfigured?: boolean
  /** The version of the program and its public URL: part of every ETag. */
  edition: string
  /** How long a search may take, in milliseconds, if not as long as usual. */
  searchBudget?: number
  /** In tests: every response and every error is checked against the contract. */
  checkAnswers?: boolean
}

/** The service without its entry points. */
export type Parley = ReturnType<typeof openParley>

export function openParley(parts: ParleyParts) {
  const { searchBudget = BUDGET_MS } = parts
  const changes = openChanges(parts.engine)
  return {
    ...parts,
    etagSeed: Bun.hash(parts.edition),
    ...openBearers(parts.engine),
    limits: openRateLimit(parts.rateLimit, parts.clock),
    personalEvents: openPersonalEvents(parts.engine, changes, parts.log),
    presence: openPresence(parts.engine, (error) =>
      parts.log.warn('Could not record when members were last seen', { error: String(error) }),
    ),
    accounts: openAccounts({ ...parts, passwords: openHasher(parts.metrics), notify: (key) => changes.notify(key) }),
    replays: openReplays(),
    responses: openResponseCache(parts.cacheBytes, parts.engine.kind === 'sqlite'),
    searchBudget,
    costlyReads: openCostlyReads(parts.engine, searchBudget),
    changes,
    files: openFiles(parts.fileParts, parts.metrics),
    streams: openStreams(parts.streamLimits),
    feeds: openFeeds(parts.engine, changes),
    /** The deliveries of webhooks that wait, for the metrics. */
    findBacklog: () => parts.engine.read((db) => findBacklog(db, parts.clock())),
  }
}
