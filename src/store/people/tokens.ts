import { type SqlBool, sql } from 'kysely'
import { scopes as allScopes, type Scope } from '../../contract/operation'
import type { Token } from '../../contract/tokens'
import type { Slice } from '../../domain/lists/paging'
import { covers, type Viewer } from '../../domain/permissions'
import { timestamp, timestampOrNull } from '../../domain/timestamps'
import { countRows, paramsFor, prepare, type Reader, type RowOf, type Writer } from '../engines/db'
import { listRows } from '../lists/list'
import { storedAuthor } from '../lists/record-json'
import { positionColumns } from './workspaces'

const bearersByHash = prepare((db, param, size: number) =>
  db
    .selectFrom('tokens as t')
    .innerJoin('workspaces as w', 'w.key', 't.workspace_key')
    .innerJoin('authors as a', 'a.key', 't.author_key')
    .leftJoin('members as m', 'm.author_key', 't.author_key')
    .leftJoin('personal_states as s', 's.author_key', 't.author_key')
    .where('t.hash', 'in', paramsFor<string>(size, param))
    .select([
      't.hash',
      't.key as token_key',
      't.id as token_id',
      't.kind',
      't.session_key',
      't.scopes',
      't.name as token_name',
    ])
    .select(['t.expires_at', 't.last_used_at', 'w.key as workspace_key', 'w.id as workspace_id'])
    .select(['w.slug as workspace_slug', 'w.name as workspace_name'])
    .select(positionColumns.map((column) => `w.${column}` as const))
    .select(['a.visibility_hash', 's.nonce as personal_nonce'])
    .select(['a.key as author_key', 'a.id as author_id', 'a.type as author_type', 'a.name as author_name'])
    .select([storedAuthor('a').as('author'), 'm.role', 'm.is_deactivated', 'm.last_seen_at']),
)

/** A token with its author and workspace. */
export type BearerRow = RowOf<typeof bearersByHash>

/** Finds tokens by their hashes, with the revisions of their workspaces. */
export async function findBearers(db: Reader, hashes: readonly string[]): Promise<Map<string, BearerRow>> {
  // Rounded up to a power of two, repeating the last hash, so that there are few statements to prepare.
  const size = 2 ** Math.ceil(Math.log2(hashes.length))
  const padded = Array.from({ length: size }, (_, at) => hashes[at] ?? hashes.at(-1)!)
  const rows = await bearersByHash(db, [size], { ...padded })
  return new Map(rows.map((row) => [row.hash, row]))
}

interface TokenRow {
  key: number
  id: string
  author_key: number
  name: string
  scopes: string
  created_at: number
  expires_at: number | null
  last_used_at: number | null
}

const columns = ['key', 'id', 'author_key', 'name', 'scopes', 'created_at', 'expires_at', 'last_used_at'] as const

/** A token of the workspace, of any owner. */
export const findToken = (db: Reader, workspaceKey: number, id: string): Promise<TokenRow | undefined> =>
  db
    .selectFrom('tokens')
    .where('workspace_key', '=', workspaceKey)
    .where('id', '=', id)
    .where('kind', '=', 'api')
    .select(columns)
    .executeTakeFirst()

const apiTokensOf = (db: Reader, workspaceKey: number, authorKey: number) =>
  db
    .selectFrom('tokens')
    .where('workspace_key', '=', workspaceKey)
    .where('author_key', '=', authorKey)
    .where('kind', '=', 'api')

/** The tokens of one author that the viewer may manage, without the tokens of browser sessions. */
export function listTokens(db: Reader, viewer: Viewer, authorKey: number, slice: Slice) {
  const list = {
    ...{ table: 'tokens', key: 'key', at: 'created_at', id: 'id' },
    ranges: [{ workspace_key: viewer.workspace.key, author_key: authorKey }],
    where: sql<SqlBool>`tokens.kind = 'api' AND tokens.scopes IN (${sql.join(scopesWithin(viewer.scopes))})`,
  }
  return listRows(db, list, slice, (keys) =>
    keys.innerJoin('tokens as t', 't.key', 'k.key').select(columns.map((column) => `t.${column}` as const)),
  )
}

/** Every set of scopes that reaches no further than these, as it is stored. */
const scopesWithin = (scopes: readonly Scope[]): string[] =>
  scopeSets.filter((set) => covers(scopes, set)).map((set) => set.join())

const scopeSets = Array.from({ length: 2 ** allScopes.length }, (_, bits) =>
  allScopes.filter((_scope, at) => bits & (1 << at)),
)

/** Every API token of a workspace with its owner's name, for the command line. */
export const listAllTokens = (db: Reader, workspaceKey: number) =>
  db
    .selectFrom('tokens as t')
    .innerJoin('authors as a', 'a.key', 't.author_key')
    .where('t.workspace_key', '=', workspaceKey)
    .where('t.kind', '=', 'api')
    .select(['t.id', 't.name', 't.scopes', 't.created_at', 't.expires_at', 't.last_used_at'])
    .select(['a.name as owner', 'a.type as owner_type'])
    .orderBy('t.created_at')
    .orderBy('t.id')
    .execute()

export interface TokenHolder {
  workspace_key: number
  author_key: number
}

export const countActiveTokens = (
  db: Reader,
  { workspace_key, author_key }: TokenHolder,
  now: number,
): Promise<number> =>
  countRows(
    apiTokensOf(db, workspace_key, author_key).where((eb) =>
      eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]),
    ),
  )

/** In one statement. */
const MAX_DELETED = 1_000

/** Deletes the expired tokens of an author but for the last `kept`, so that nobody has ever more of them. */
export async function deleteOldExpiredTokens(
  db: Writer,
  { workspace_key, author_key }: TokenHolder,
  now: number,
  kept: number,
) {
  const expired = await apiTokensOf(db, workspace_key, author_key)
    .where('expires_at', '<=', now)
    .orderBy('expires_at', 'desc')
    .select('key')
    .execute()
  const old = expired.slice(kept, kept + MAX_DELETED).map(({ key }) => key)
  if (old.length === 0) return
  await db.deleteFrom('tokens').where('key', 'in', old).execute()
  await addTokens(db, author_key, -old.length)
}

export interface NewTokenRow {
  id: string
  workspace_key: number
  author_key: number
  hash: string
  name: string
  scopes: string
  created_at: number
  expires_at: number | null
}

export async function insertToken(db: Writer, token: NewTokenRow): Promise<TokenRow> {
  const inserted = await db
    .insertInto('tokens')
    .values({ ...token, kind: 'api', last_used_at: null })
    .returning(columns)
    .executeTakeFirstOrThrow()
  await addTokens(db, token.author_key, 1)
  return inserted
}

export async function deleteToken(db: Writer, token: { key: number; author_key: number }) {
  await db.deleteFrom('tokens').where('key', '=', token.key).execute()
  await addTokens(db, token.author_key, -1)
}

/** All tokens of an author, also the tokens of browser sessions. */
export async function deleteTokensOf(db: Writer, workspaceKey: number, authorKey: number) {
  await db.deleteFrom('tokens').where('workspace_key', '=', workspaceKey).where('author_key', '=', authorKey).execute()
  await db.updateTable('authors').set({ tokens_count: 0 }).where('key', '=', authorKey).execute()
}

const addTokens = (db: Writer, authorKey: number, change: number) =>
  db
    .updateTable('authors')
    .set({ tokens_count: sql`tokens_count + ${change}` })
    .where('key', '=', authorKey)
    .execute()

/** Records when tokens were last used. This needs no new revision: it is not cached. */
export async function setLastUsed(db: Writer, tokenKeys: readonly number[], now: number) {
  await db.updateTable('tokens').set({ last_used_at: now }).where('key', 'in', tokenKeys).execute()
}

/** Tokens of pages that are over. Expired API tokens stay, so that their owners see why they fail. */
export const deleteExpiredPageTokens = (db: Writer, now: number) =>
  db.deleteFrom('tokens').where('kind', '=', 'page').where('expires_at', '<=', now).execute()

export const toToken = (row: TokenRow): Token => ({
  id: row.id,
  name: row.name,
  scopes: row.scopes.split(',') as Scope[],
  created_at: timestamp(row.created_at),
  expires_at: timestampOrNull(row.expires_at),
  last_used_at: timestampOrNull(row.last_used_at),
})
