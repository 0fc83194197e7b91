import { type Selectable, type SelectQueryBuilder, type SqlBool, sql } from 'kysely'
import type { Hook } from '../../contract/hooks'
import { findHookProblem } from '../../domain/hooks'
import { type Links, toAuthor } from '../../domain/links'
import type { Slice } from '../../domain/lists/paging'
import { canManage, type Viewer } from '../../domain/permissions'
import { timestamp, timestampOrNull } from '../../domain/timestamps'
import { countRows, type Reader, type Writer } from '../engines/db'
import { listRows } from '../lists/list'
import { storedAuthor } from '../lists/record-json'
import type { Tables } from '../schema'

export type HookKeys = Selectable<Tables['hooks']>

const isIn = (table: 'channel_members' | 'thread_members', key: 'channel_key' | 'thread_key', who: unknown) =>
  sql`EXISTS (SELECT 1 FROM ${sql.table(table)} AS i WHERE i.${sql.ref(key)} = h.${sql.ref(key)} AND i.author_key = ${who})`

/** Whether someone is in the thread, or in the channel. */
const takesPart = (who: unknown) =>
  sql<boolean>`CASE WHEN (h.thread_key <> 0 AND ${isIn('thread_members', 'thread_key', who)})
    OR (h.channel_key <> 0 AND ${isIn('channel_members', 'channel_key', who)}) THEN 1 ELSE 0 END`

const withDetails = <Query>(hooks: Query, viewer: Viewer) =>
  (hooks as SelectQueryBuilder<Tables & { h: Tables['hooks'] }, 'h', object>)
    .innerJoin('authors as a', 'a.key', 'h.author_key')
    .innerJoin('authors as o', 'o.key', 'h.owner_key')
    .leftJoin('members as m', 'm.author_key', 'h.owner_key')
    .leftJoin('channels as c', 'c.key', 'h.channel_key')
    .leftJoin('posts as p', 'p.key', 'h.post_key')
    .leftJoin('threads as t', 't.key', 'h.thread_key')
    .selectAll('h')
    .select([storedAuthor('a').as('author'), 'a.id as author_id', 'a.name', 'a.avatar', storedAuthor('o').as('owner')])
    .select(['m.role', 'm.is_deactivated', 'c.name as channel_name', 'c.is_private', 'c.archived_at'])
    .select(['p.title as post_title', 't.title as thread_title'])
    .select([takesPart(sql.ref('h.owner_key')).as('is_owner_in'), takesPart(viewer.author.key).as('is_viewer_in')])

/** A hook with its author, its owner, where it writes, and who of owner and viewer is in there. */
export type HookRow = NonNullable<Awaited<ReturnType<typeof findHook>>>

export const findHook = (db: Reader, viewer: Viewer, id: string) =>
  withDetails(db.selectFrom('hooks as h').where('h.workspace_key', '=', viewer.workspace.key), viewer)
    .where(isManaged('h', viewer))
    .where('h.id', '=', id)
    .executeTakeFirst()

/** The hooks the viewer manages: all for admins, otherwise their own. */
const isManaged = (hooks: string, viewer: Viewer) =>
  canManage(viewer) ? sql<SqlBool>`1 = 1` : sql<SqlBool>`${sql.ref(`${hooks}.owner_key`)} = ${viewer.author.key}`

export function listHooks(db: Reader, viewer: Viewer, slice: Slice) {
  const list = {
    ...{ table: 'hooks', key: 'key', at: 'created_at', id: 'id' },
    ranges: [{ workspace_key: viewer.workspace.key }],
    where: isManaged('hooks', viewer),
  }
  return listRows(db, list, slice, (keys) => withDetails(keys.innerJoin('hooks as h', 'h.key', 'k.key'), viewer))
}

export const countHooksOf = (db: Reader, viewer: Viewer): Promise<number> =>
  countRows(
    db.selectFrom('hooks').where('workspace_key', '=', viewer.workspace.key).where('owner_key', '=', viewer.author.key),
  )

export const insertHook = (db: Writer, hook: Omit<HookKeys, 'key' | 'last_used_at' | 'updated_at'>) =>
  db
    .insertInto('hooks')
    .values({ ...hook, last_used_at: null, updated_at: hook.created_at })
    .execute()

export const setHook = (db: Writer, key: number, changes: Partial<Pick<HookKeys, 'hash' | 'updated_at'>>) =>
  db.updateTable('hooks').set(changes).where('key', '=', key).execute()

export const deleteHook = (db: Writer, key: number) => db.deleteFrom('hooks').where('key', '=', key).execute()

/** Makes the addresses of all hooks of a member stop for good. The hooks stay, for admins to see. */
export const revokeHooksOf = (db: Writer, workspaceKey: number, ownerKey: number) =>
  db
    .updateTable('hooks')
    .set({ hash: null })
    .where('workspace_key', '=', workspaceKey)
    .where('owner_key', '=', ownerKey)
    .execute()

/** The caller of a secret: the hook, its app as the author, and the role of its owner. */
export const findHookCaller = (db: Reader, hash: string) =>
  db
    .selectFrom('hooks as h')
    .innerJoin('workspaces as w', 'w.key', 'h.workspace_key')
    .innerJoin('authors as a', 'a.key', 'h.author_key')
    .innerJoin('members as m', 'm.author_key', 'h.owner_key')
    .where('h.hash', '=', hash)
    .select(['h.key', 'h.owner_key', 'h.channel_key', 'h.post_key', 'h.thread_key', 'h.target_id', 'h.last_used_at'])
    .select(['w.key as workspace_key', 'w.id as workspace_id', 'w.slug as workspace_slug', 'w.name as workspace_name'])
    .select(['a.key as author_key', 'a.id as author_id', 'a.type as author_type', 'a.name as author_name'])
    .select([storedAuthor('a').as('author'), 'm.role', 'm.is_deactivated'])
    .executeTakeFirst()

export type HookCaller = NonNullable<Awaited<ReturnType<typeof findHookCaller>>>

/** Needs no revision: it is not cached. */
export const setHookUsed = (db: Writer, key: number, now: number) =>
  db.updateTable('hooks').set({ last_used_at: now }).where('key', '=', key).execute()

/** A hook as this viewer may see it: the name of a private channel or thread is shown only to its members. */
export const toHook = (links: Links, row: HookRow): Hook => toRecord(links, row, row.is_viewer_in || isPublic(row))

/** A hook as events show it, which are read by admins. */
export const toMaskedHook = (links: Links, row: HookRow): Hook => toRecord(links, row, false)

const isPublic = ({ channel_key, is_private, archived_at }: HookRow) =>
  channel_key !== 0 && is_private === false && archived_at === null

function toRecord(links: Links, row: HookRow, showsTitle: boolean): Hook {
  const { type, title } = targetOf(row)
  return {
    id: row.id,
    name: row.name,
    target: { type, id: row.target_id, title: showsTitle ? title : null, url: links[type](row.target_id) },
    author: toAuthor(links, row.author),
    owner: toAuthor(links, row.owner),
    problem: findHookProblem(row) ?? null,
    last_used_at: timestampOrNull(row.last_used_at),
    created_at: timestamp(row.created_at),
    updated_at: timestamp(row.updated_at),
  }
}

function targetOf(row: HookRow): { type: Hook['target']['type']; title: string | null } {
  if (row.thread_key !== 0) return { type: 'thread', title: row.thread_title }
  if (row.post_key === 0) return { type: 'channel', title: row.channel_name }
  return { type: 'post', title: row.post_title }
}
