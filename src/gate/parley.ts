import type { IdPrefix } from '../domain/ids'
import type { Vault } from '../domain/vault'
import type { Log } from '../log'
import type { Metrics } from '../metrics'
import { openDirectories } from '../records/directory/directories'
import type { Links } from '../records/links'
import { openMemory } from '../records/memory'
import type { Engine } from '../store/engines/engine'
import { openPasswords } from './accounts/passwords'
import { openPresence } from './accounts/presence'
import { openAnswers } from './answers'
import { openBearers } from './bearers'
import { openRateLimit } from './limits/rate-limit'
import { openChanges } from './live/changes'
import { openFeeds } from './live/feeds'
import { openStreams, type StreamLimits } from './live/streams'
import { openReplays } from './replay'

export interface ParleyParts {
  engine: Engine
  links: Links
  log: Log
  metrics: Metrics
  clock: () => number
  newId: (prefix: IdPrefix, now: number) => string
  rateLimit: number
  streamLimits?: StreamLimits
  /** How many bytes of answers and records may be remembered. */
  cacheBytes: number
  /** Undefined where the operator gave no key. */
  vault?: Vault
  /** Of this program and its settings: what it answers differs from what another version would. */
  edition: string
  /** In tests: every answer and every error is held against the contract. */
  checkAnswers?: boolean
}

/** How much of what may be remembered goes to whole answers, and to what is searched; the rest goes to records. */
const ANSWERS_SHARE = 1 / 8
const DIRECTORIES_SHARE = 1 / 8

/** Everything behind the doors. */
export type Parley = ReturnType<typeof openParley>

export function openParley(parts: ParleyParts) {
  const changes = openChanges(parts.engine)
  return {
    ...parts,
    etagSeed: Bun.hash(parts.edition),
    admit: openBearers(parts.engine),
    limits: openRateLimit(parts.rateLimit, parts.clock),
    presence: openPresence(parts.engine, (error) =>
      parts.log.warn('Could not record when members were last seen', { error: String(error) }),
    ),
    passwords: openPasswords(parts.metrics),
    replays: openReplays(),
    answers: openAnswers(parts.cacheBytes * ANSWERS_SHARE),
    memory: openMemory(parts.cacheBytes * (1 - ANSWERS_SHARE - DIRECTORIES_SHARE)),
    directories: openDirectories(parts.engine.read, parts.cacheBytes * DIRECTORIES_SHARE),
    changes,
    streams: openStreams(parts.streamLimits),
    feeds: openFeeds(parts.engine, changes),
  }
}
