import { Problem } from '../contract/errors'
import type { Scope } from '../contract/operation'
import type { Position } from '../domain/events/positions'
import type { Viewer } from '../domain/permissions'
import { hashSecret } from '../domain/secrets'
import type { Reader } from '../store/db'
import type { Engine } from '../store/engines/engine'
import type { Callers, Turn } from '../store/engines/turn'
import { type BearerRow, findBearers } from '../store/tokens'
import { toViewer } from '../store/viewers'
import { openBatches } from './batches'

/** Whom a token stands for, and the position of the workspace as of when that was asked. */
export interface Bearer {
  viewer: Viewer
  position: Position
  row: BearerRow
  /** All that a response depends on besides the request: part of its key in the cache. */
  cacheKey: string
}

const MAX_CACHED = 10_000
/** The hash of no token. */
const NO_TOKEN = ''

/**
 * Finds whom a token stands for. What was found is kept for as long as the engine can say, at no cost, that
 * nothing was committed since: a revoked token is refused by the next request.
 */
export function openBearers(engine: Engine) {
  const cache = new Map<string, Bearer>()
  /** On PostgreSQL there is no version, and nothing is cached. */
  let cachedVersion: number | undefined
  const lookUp = openBatches((hashes: readonly string[]) => engine.read((db) => findBearers(db, hashes)))

  function getCached(token: string, version: number | undefined): Bearer | undefined {
    if (version !== cachedVersion || cache.size > MAX_CACHED) {
      cache.clear()
      cachedVersion = version
    }
    return cache.get(token)
  }

  async function find(token: string, version: number | undefined): Promise<Bearer> {
    const row = await lookUp(hashSecret(token))
    if (!row) throw unknownToken()
    const bearer = toBearer(row)
    if (version !== undefined && cachedVersion === version) cache.set(token, bearer)
    return bearer
  }

  /** The bearer of a token that is good now; at once, where it is known. */
  function findBearer(token: string | undefined, now: number): Bearer | Promise<Bearer> {
    if (token === undefined) throw unauthenticated('Send the header `Authorization: Bearer <ACCESS_TOKEN>`.')
    const version = engine.version()
    const bearer = getCached(token, version)
    return bearer ? requireValid(bearer, now) : find(token, version).then((found) => requireValid(found, now))
  }

  return {
    findBearer,
    /** Whether tokens can be looked up now. Throws what is wrong. */
    async checkLookUp() {
      await lookUp(NO_TOKEN)
    },
  }
}

/** The callers of all writes that share a transaction, as of this turn: one statement, unless they are known. */
export async function findCallers(db: Reader, turn: Turn, { row: { hash } }: Bearer): Promise<Callers> {
  if (turn.known.callers?.has(hash)) return turn.known.callers
  // A write that changes several workspaces does not tell the engine who its caller is: it shares its look-up with nobody.
  if (!turn.tokenHashes().includes(hash)) return findBearers(db, [hash])
  turn.known.callers ??= await findBearers(db, turn.tokenHashes())
  return turn.known.callers
}

/**
 * The same caller as of this transaction. Between the moment a request came in and the moment it takes effect its body was
 * read: meanwhile the token may have been revoked, or its owner may have lost a right.
 */
export function requireCaller(callers: Callers, { row: { hash } }: Bearer, now: number): Bearer {
  const row = callers.get(hash)
  if (!row) throw unknownToken()
  return requireValid(toBearer(row), now)
}

function requireValid(bearer: Bearer, now: number): Bearer {
  const { expires_at, is_deactivated } = bearer.row
  if (expires_at !== null && expires_at <= now) throw unauthenticated('The access token has expired.', 'invalid_token')
  if (is_deactivated) throw unauthenticated('The member this token belongs to is deactivated.', 'invalid_token')
  return bearer
}

const unknownToken = () => unauthenticated('The access token is unknown or was revoked.', 'invalid_token')

const unauthenticated = (detail: string, error?: string) =>
  new Problem('unauthenticated', detail, undefined, {
    'WWW-Authenticate': error ? `Bearer realm="parley", error="${error}"` : 'Bearer realm="parley"',
  })

export function toBearer(row: BearerRow): Bearer {
  const { workspace_key, author_key, scopes, revision, nonce } = row
  return {
    viewer: { ...toViewer(row, scopes.split(',') as Scope[]), sessionKey: row.session_key },
    position: { revision, nonce },
    row,
    cacheKey: `${revision} ${nonce} ${workspace_key} ${author_key} ${scopes}`,
  }
}
