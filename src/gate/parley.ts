import type { IdPrefix } from '../domain/ids'
import type { Vault } from '../domain/vault'
import type { Log } from '../log'
import type { Metrics } from '../metrics'
import type { Links } from '../records/links'
import { openMemory } from '../records/memory'
import type { Engine } from '../store/engines/engine'
import { openAnswers } from './answers'
import { openBearers } from './bearers'
import { openFeeds } from './feeds'
import { openRateLimit } from './limits'
import { openPresence } from './presence'
import { openPulse } from './pulse'
import { openReplays } from './replay'
import { openStreams } from './streams'

export interface ParleyParts {
  engine: Engine
  links: Links
  log: Log
  metrics: Metrics
  clock: () => number
  newId: (prefix: IdPrefix, now: number) => string
  rateLimit: number
  /** Undefined where the operator gave no key. */
  vault?: Vault
  /** Of this program and its settings: what it answers differs from what another version would. */
  edition: string
  /** In tests: every answer and every error is held against the contract. */
  checkAnswers?: boolean
}

const ANSWERS_BYTES = 32 * 1024 * 1024
const RECORDS_BYTES = 128 * 1024 * 1024

/** Everything behind the doors. */
export type Parley = ReturnType<typeof openParley>

export function openParley(parts: ParleyParts) {
  const pulse = openPulse(parts.engine)
  return {
    ...parts,
    admit: openBearers(parts.engine),
    limits: openRateLimit(parts.rateLimit, parts.clock),
    presence: openPresence(parts.engine, (error) =>
      parts.log.warn('Could not note who was seen', { error: String(error) }),
    ),
    replays: openReplays(),
    answers: openAnswers(ANSWERS_BYTES),
    memory: openMemory(RECORDS_BYTES),
    pulse,
    streams: openStreams(),
    feeds: openFeeds(parts.engine, pulse),
  }
}
