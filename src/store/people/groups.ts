import { type SqlBool, sql } from 'kysely'
import { naturalKey } from '../../contract/browser/natural-order'
import type { Group } from '../../contract/groups'
import type { Slice } from '../../domain/lists/paging'
import { accessKeyOf, seesPublic, type Viewer } from '../../domain/permissions'
import { timestamp } from '../../domain/timestamps'
import { countRows, type Reader, type Writer } from '../engines/db'
import { contains, listRows } from '../lists/list'
import { storedAuthor } from '../lists/record-json'

/** Guests see no groups. */
const visibleGroups = (db: Reader, viewer: Viewer) =>
  db
    .selectFrom('groups')
    .where('groups.workspace_key', '=', viewer.workspace.key)
    .$if(!seesPublic(viewer), (query) => query.where(sql<SqlBool>`1 = 0`))

export const findGroup = (db: Reader, viewer: Viewer, id: string) =>
  visibleGroups(db, viewer).where('groups.id', '=', id).selectAll('groups').executeTakeFirst()

export type GroupRow = Awaited<ReturnType<typeof findGroup>> & {}

/** Those of these groups that the viewer can see. */
export const findVisibleGroups = (db: Reader, viewer: Viewer, ids: readonly string[]) =>
  ids.length === 0
    ? Promise.resolve([])
    : visibleGroups(db, viewer)
        .where('groups.id', 'in', ids)
        .select(['groups.key', 'groups.id', 'groups.name', 'groups.members_count'])
        .execute()

export const findGroupByName = (db: Reader, workspaceKey: number, nameFold: string) =>
  db
    .selectFrom('groups')
    .where('workspace_key', '=', workspaceKey)
    .where('name_fold', '=', nameFold)
    .select('key')
    .executeTakeFirst()

/** There are few: see `MAX_GROUPS`. */
export const countGroups = (db: Reader, viewer: Viewer): Promise<number> =>
  countRows(db.selectFrom('groups').where('workspace_key', '=', viewer.workspace.key))

export const listGroups = (db: Reader, viewer: Viewer, textFold: string | undefined, slice: Slice) =>
  listRows(
    db,
    {
      ...{ table: 'groups', key: 'key', at: 'name_order', id: 'id' },
      ranges: [{ workspace_key: viewer.workspace.key }],
      ...(textFold !== undefined && { where: contains('groups.name_fold', textFold) }),
    },
    slice,
    (keys) => keys.innerJoin('groups', 'groups.key', 'k.key').selectAll('groups'),
  )

type NewGroup = Pick<GroupRow, 'id' | 'workspace_key' | 'name' | 'name_fold' | 'description' | 'created_at'>

export const insertGroup = (db: Writer, group: NewGroup): Promise<GroupRow> =>
  db
    .insertInto('groups')
    .values({ ...group, name_order: naturalKey(group.name_fold), updated_at: group.created_at })
    .returningAll()
    .executeTakeFirstOrThrow()

export const setGroup = (
  db: Writer,
  key: number,
  changes: Pick<GroupRow, 'name' | 'name_fold' | 'description' | 'updated_at'>,
): Promise<GroupRow> =>
  db
    .updateTable('groups')
    .set({ ...changes, name_order: naturalKey(changes.name_fold) })
    .where('key', '=', key)
    .returningAll()
    .executeTakeFirstOrThrow()

/** Its key is never used again, so what still names it finds nobody. */
export async function deleteGroup(db: Writer, key: number) {
  await db.deleteFrom('group_members').where('group_key', '=', key).execute()
  await db.deleteFrom('groups').where('key', '=', key).execute()
}

export const isInGroup = async (db: Reader, groupKey: number, authorKey: number): Promise<boolean> =>
  (await db
    .selectFrom('group_members')
    .where('group_key', '=', groupKey)
    .where('author_key', '=', authorKey)
    .select('author_key')
    .executeTakeFirst()) !== undefined

export async function insertGroupMember(
  db: Writer,
  group: Pick<GroupRow, 'key' | 'workspace_key'>,
  author: { key: number; id: string },
  created_at: number,
): Promise<GroupRow> {
  await db
    .insertInto('group_members')
    .values({
      workspace_key: group.workspace_key,
      group_key: group.key,
      author_key: author.key,
      author_id: author.id,
      created_at,
    })
    .execute()
  return addToGroup(db, group.key, 1)
}

export async function deleteGroupMember(db: Writer, key: number, authorKey: number): Promise<GroupRow> {
  await db.deleteFrom('group_members').where('group_key', '=', key).where('author_key', '=', authorKey).execute()
  return addToGroup(db, key, -1)
}

const addToGroup = (db: Writer, key: number, change: number): Promise<GroupRow> =>
  db
    .updateTable('groups')
    .set({ members_count: sql`members_count + ${change}` })
    .where('key', '=', key)
    .returningAll()
    .executeTakeFirstOrThrow()

/** The members of a group, in the order in which they were added, and how many. */
export const listGroupMembers = (db: Reader, group: Pick<GroupRow, 'key' | 'workspace_key'>, slice: Slice) =>
  listRows(
    db,
    {
      ...{ table: 'group_members', key: 'author_key', at: 'created_at', id: 'author_id', records: 'authors' },
      ranges: [{ workspace_key: group.workspace_key, group_key: group.key }],
    },
    slice,
    (keys) => keys.innerJoin('authors as a', 'a.key', 'k.key').select(storedAuthor('a').as('author')),
    sql<number>`(SELECT members_count FROM groups WHERE key = ${group.key})`,
  )

export const toGroup = (row: GroupRow): Group => ({
  id: row.id,
  name: row.name,
  description: row.description,
  members_count: row.members_count,
  created_at: timestamp(row.created_at),
  updated_at: timestamp(row.updated_at),
})

const WINDOW_MS = 60 * 60 * 1000

/** What is counted: mentions of whole channels, of groups of many people, and of such groups by the incoming webhooks of a member. */
export type MentionKind = 'channel' | 'groups' | 'groups_by_hooks'

/**
 * Counts that someone mentions many people. Returns undefined, or where they have done so `max` times within an hour, when they may
 * again. The incoming webhooks of a member count as one. The workspace is locked, so that it holds for all nodes.
 */
export async function useMention(
  db: Writer,
  viewer: Viewer,
  kind: MentionKind,
  { max, now }: { max: number; now: number },
): Promise<number | undefined> {
  const author_key = accessKeyOf(viewer)
  const before = await db
    .selectFrom('mention_uses')
    .where('author_key', '=', author_key)
    .where('kind', '=', kind)
    .select(['started_at', 'uses'])
    .executeTakeFirst()
  // A clock that was ahead does not keep anyone out.
  const isOver = !before || now - before.started_at >= WINDOW_MS || before.started_at > now
  if (!isOver && before.uses >= max) return before.started_at + WINDOW_MS

  const used = isOver ? { started_at: now, uses: 1 } : { started_at: before.started_at, uses: before.uses + 1 }
  await db
    .insertInto('mention_uses')
    .values({ author_key, kind, workspace_key: viewer.workspace.key, ...used })
    .onConflict((conflict) => conflict.columns(['author_key', 'kind']).doUpdateSet(used))
    .execute()
  return undefined
}
