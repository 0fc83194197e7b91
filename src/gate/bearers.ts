import { Problem } from '../contract/errors'
import type { Dependence, Operation, Scope } from '../contract/operation'
import type { Position } from '../domain/events/positions'
import { hasScope, roleMay, type Viewer } from '../domain/permissions'
import { hashSecret } from '../domain/secrets'
import { within } from '../metrics'
import type { Callers, SharedWrites } from '../store/changes/shared-writes'
import { DatabaseDamaged } from '../store/engines/damage'
import type { Reader } from '../store/engines/db'
import type { Engine } from '../store/engines/engine'
import { toViewer } from '../store/people/authors'
import { type BearerRow, findBearers } from '../store/people/tokens'
import { findPositions, type WorkspacePositions } from '../store/people/workspaces'

/** The viewer that a token stands for, and where the workspace was when it was read. */
export interface Bearer {
  viewer: Viewer
  /** The last change in the log. */
  position: Position
  /** The last change that others can see, too. */
  content: Position
  row: BearerRow
  /** What a response depends on besides the request, by the declaration of its operation: part of its key in the cache. */
  keys: Readonly<Record<Exclude<Dependence, 'nothing'>, string>>
}

const MAX_CACHED = 10_000
/** The hash of no token. */
const NO_TOKEN = ''
/** Less than `parley health` waits. */
const READINESS_MS = 4_000

/** A bearer, as of a version of the database; its personal state may be as of an earlier one. */
interface Known {
  bearer: Bearer
  version: number
  personalVersion: number
}

/**
 * Finds whom a token stands for. On SQLite, which can say at no cost whether anything was committed, it is looked up again only
 * after a change of rights: a revoked token is refused by the next request. On PostgreSQL there is no version, and nothing is
 * kept.
 */
export function openBearers(engine: Engine) {
  const cache = new Map<string, Known>()
  const workspaces = new Map<number, { version: number; positions: WorkspacePositions }>()
  const lookUp = openBatches((hashes: readonly string[]) => engine.read((db) => findBearers(db, hashes)))
  const lookUpPositions = openBatches((keys: readonly number[]) => engine.read((db) => findPositions(db, keys)))

  async function find(token: string, version: number | undefined): Promise<Bearer> {
    const row = await lookUp(hashSecret(token))
    if (!row) {
      cache.delete(token)
      throw unknownToken()
    }
    const bearer = toBearer(row)
    if (version !== undefined) keep(token, { bearer, version, personalVersion: version })
    return bearer
  }

  function keep(token: string, known: Known) {
    if (cache.size > MAX_CACHED) cache.clear()
    cache.set(token, known)
  }

  /** The same bearer at the present positions of the workspace; undefined if rights have changed since. */
  function atPositions(
    token: string,
    known: Known,
    version: number,
    positions: WorkspacePositions,
  ): Bearer | undefined {
    const { bearer, personalVersion } = known
    // The hash may have been set meanwhile.
    if (positions.access_revision !== bearer.row.access_revision || bearer.row.visibility_hash === null)
      return undefined
    const moved = toBearer({ ...bearer.row, ...positions })
    keep(token, { bearer: moved, version, personalVersion })
    return moved
  }

  async function findAgain(token: string, known: Known, version: number): Promise<Bearer> {
    const { key } = known.bearer.viewer.workspace
    const positions = await lookUpPositions(key)
    if (!positions) return find(token, version)
    workspaces.set(key, { version, positions })
    return atPositions(token, known, version, positions) ?? find(token, version)
  }

  /** The bearer of a token that is good now; at once, where it is known. `personal` where the state of its owner counts. */
  function findBearer(token: string | undefined, now: number, personal = false): Bearer | Promise<Bearer> {
    if (token === undefined) throw unauthenticated('Send the header `Authorization: Bearer <ACCESS_TOKEN>`.')
    const version = engine.version()
    const known = version === undefined ? undefined : cache.get(token)
    // What is refused is looked up once more: the end of a page's token may have been put off.
    if (
      version === undefined ||
      !known ||
      !isValid(known.bearer, now) ||
      (personal && known.personalVersion !== version)
    )
      return find(token, version).then((found) => requireValid(found, now))
    if (known.version === version) return known.bearer
    const workspace = workspaces.get(known.bearer.viewer.workspace.key)
    const current = workspace?.version === version ? atPositions(token, known, version, workspace.positions) : undefined
    return current ?? findAgain(token, known, version).then((found) => requireValid(found, now))
  }

  return {
    findBearer,
    /** Whether requests can be answered. It looks up a token as they do, so that what holds them up is noticed here. */
    async findReadiness(): Promise<'ready' | 'database damaged' | 'no database'> {
      try {
        await within(READINESS_MS, Promise.all([engine.ping(), lookUp(NO_TOKEN)]))
        return 'ready'
      } catch (error) {
        return error instanceof DatabaseDamaged ? 'database damaged' : 'no database'
      }
    },
  }
}

/** The callers of all writes that share a transaction, as of this write: one statement, unless they are known. */
export async function findCallers(db: Reader, writes: SharedWrites, { row: { hash } }: Bearer): Promise<Callers> {
  const { known } = writes
  if (known.callers?.has(hash)) return known.callers
  // A write that changes several workspaces does not tell the engine who its caller is: it shares its look-up with nobody.
  if (!writes.tokenHashes().includes(hash)) return findBearers(db, [hash])
  known.callers ??= await findBearers(db, writes.tokenHashes())
  return known.callers
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

const isValid = ({ row: { expires_at, is_deactivated } }: Bearer, now: number): boolean =>
  !is_deactivated && (expires_at === null || expires_at > now)

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
  const { workspace_key, author_key, scopes, role, visibility_hash, revision, nonce, content_revision, content_nonce } =
    row
  const as = `${content_revision} ${content_nonce} ${workspace_key} ${scopes}`
  const caller = `${as} author ${author_key}`
  return {
    viewer: { ...toViewer(row, scopes.split(',') as Scope[]), sessionKey: row.session_key },
    position: { revision, nonce },
    content: { revision: content_revision, nonce: content_nonce },
    row,
    keys: {
      content: visibility_hash === null ? caller : `${as} ${role ?? 'app'} ${visibility_hash}`,
      caller,
      personal: `${caller} ${row.personal_nonce ?? 0}`,
    },
  }
}

const MAX_BATCH = 64
const MAX_WAIT_MS = 500

/**
 * Coalesces concurrent look-ups into one statement: look-ups that start while one runs join the next. A look-up
 * never returns what was read before it was asked for, so nothing is older than the request. If a statement takes long, because its
 * reply was lost or it has to wait, the next does not wait for it.
 */
export function openBatches<Key, Value>(find: (keys: readonly Key[]) => Promise<Map<Key, Value>>) {
  const waiting = new Map<Key, PromiseWithResolvers<Value | undefined>>()
  let isRunning = false

  async function run() {
    isRunning = true
    while (waiting.size > 0) {
      const batch = [...waiting].slice(0, MAX_BATCH)
      for (const [key] of batch) waiting.delete(key)
      await doneOrLate(lookUpAll(batch))
    }
    isRunning = false
  }

  async function lookUpAll(batch: [Key, PromiseWithResolvers<Value | undefined>][]) {
    try {
      const found = await find(batch.map(([key]) => key))
      for (const [key, { resolve }] of batch) resolve(found.get(key))
    } catch (error) {
      for (const [, { reject }] of batch) reject(error)
    }
  }

  return function lookUp(key: Key): Promise<Value | undefined> {
    const { promise } = waiting.getOrInsertComputed(key, () => Promise.withResolvers())
    if (!isRunning) void run()
    return promise
  }
}

async function doneOrLate(working: Promise<void>) {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, MAX_WAIT_MS)
  await Promise.race([working, promise])
  clearTimeout(timer)
}

/** Throws unless the scopes of the token and the role of its owner allow this operation. */
export function requireRights(viewer: Viewer, { access, tokenScope }: Operation) {
  if (access === 'public') return
  const scope = tokenScope ?? access
  if (!hasScope(viewer.scopes, scope))
    throw new Problem('insufficient_scope', `This requires a token with the \`${scope}\` scope.`, undefined, {
      'WWW-Authenticate': `Bearer realm="parley", error="insufficient_scope", scope="${scope}"`,
    })
  if (!roleMay(viewer.role, access)) throw new Problem('forbidden', refusals[access])
}

const refusals: Record<Scope, string> = {
  read: 'You do not have permission to read.',
  write: 'Viewers can read but not write.',
  admin: 'Only admins can do this.',
}

/**
 * Refuses a request that took long to arrive, such as a picture, if the role of its sender has changed meanwhile. The new role may
 * also allow it: then the sender can send it again.
 */
export function requireSameRole({ role }: Viewer, before: Viewer) {
  if (role !== before.role)
    throw new Problem('forbidden', 'Your role was changed while the file was being uploaded. Upload it again.')
}
