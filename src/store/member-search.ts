import type { Selectable } from 'kysely'
import type { Role } from '../contract/members'
import type { Found, Placed, Slice } from '../domain/paging'
import type { Viewer } from '../domain/permissions'
import type { Reader, SlotFor } from './db'
import { listFilteredKeys } from './filtered'
import { pastOrigin } from './keyset'
import { findMembers, type MemberRow, type MemberSort } from './members'
import type { Tables } from './schema'
import { askingOf, type Members, visibleMembers } from './visible-members'

/** The members whose name or e-mail contains the folded text, if any, and whom this viewer may see. */
export async function searchMembers(
  db: Reader,
  viewer: Viewer,
  filter: { roles: readonly Role[]; text: string },
  slice: Slice<MemberSort>,
): Promise<{ found: Found<MemberRow & Placed>; total: number }> {
  const asking = askingOf(viewer)
  const search = filter.text === '' ? undefined : db.flavour.memberSearch(filter.text)
  const shape = ['members.search', search?.shape, asking.seesAll ? 'all' : 'some', ...filter.roles].join(' ')
  const matching = (slot: SlotFor) => {
    const from = search && (db.selectFrom(search.found(slot('pattern')).as('members')) as unknown as Members)
    const visible = visibleMembers(db, { ...asking, workspace: slot('workspace'), me: slot('me') }, from)
    return visible.where('members.role', 'in', filter.roles)
  }
  const { workspace, me } = asking
  const { keys, behind, total } = await listFilteredKeys(
    db,
    {
      shape,
      columns: { key: 'members.author_key', at: `members.${slice.sort}`, id: 'members.id' },
      matching,
      values: { workspace, me, pattern: search?.pattern ?? null },
    },
    slice,
  )
  const byKey = new Map((await findMembers(db, keys)).map((row) => [row.author_key, row]))
  const rows = keys.flatMap((key) => byKey.get(key) ?? [])
  return { found: { rows: rows.map((row) => ({ ...row, at: row[slice.sort], tie: row.id })), behind }, total }
}

/** A member as far as they are searched for. */
export type SearchedMember = Pick<
  Selectable<Tables['members']>,
  'author_key' | 'id' | 'role' | 'created_at' | 'search_text'
>

const searched = [
  'members.author_key',
  'members.id',
  'members.role',
  'members.created_at',
  'members.search_text',
] as const

/** Those of a role who came after someone, in the order in which they came. */
export const listSearched = (
  db: Reader,
  workspaceKey: number,
  role: Role,
  after: { created_at: number; id: string },
  limit: number,
): Promise<SearchedMember[]> =>
  db.prepared<SearchedMember>(
    'members.searched',
    (slot) =>
      db
        .selectFrom('members')
        .where('workspace_key', '=', slot<number>('workspace'))
        .where('role', '=', slot('role') as Role)
        .where(pastOrigin({ at: 'created_at', id: 'id' }, 'asc', false, slot('at'), slot('id')))
        .orderBy('created_at')
        .orderBy('id')
        .limit(slot<number>('limit'))
        .select(searched),
    { workspace: workspaceKey, role, at: after.created_at, id: after.id, limit },
  )

export const findSearched = async (
  db: Reader,
  workspaceKey: number,
  ids: readonly string[],
): Promise<SearchedMember[]> =>
  ids.length === 0
    ? []
    : db
        .selectFrom('authors as a')
        .innerJoin('members', 'members.author_key', 'a.key')
        .where('a.workspace_key', '=', workspaceKey)
        .where('a.id', 'in', ids)
        .select(searched)
        .execute()
