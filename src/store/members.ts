import type { Selectable, SelectQueryBuilder } from 'kysely'
import type { Role } from '../contract/members'
import type { Found, Placed, Slice } from '../domain/paging'
import { seesPublic, type Viewer } from '../domain/permissions'
import { type Reader, type SlotFor, slotsFor, type Writer } from './db'
import { listFilteredKeys } from './filtered'
import { listRanges, pastOrigin, type Ranges } from './keyset'
import type { Tables } from './schema'

/** A member with everything its record shows. */
export interface MemberRow {
  author_key: number
  id: string
  role: Role
  is_deactivated: number
  created_at: number
  last_seen_at: number
  name: string
  avatar: string
  user_id: string
  email: string
}

type Members = SelectQueryBuilder<Tables, 'members', object>

export type MemberSort = 'created_at' | 'last_seen_at'

// biome-ignore lint/suspicious/noExplicitAny: any query that has the table `members`
const withRecord = (query: SelectQueryBuilder<any, any, any>) =>
  query
    .innerJoin('authors as a', 'a.key', 'members.author_key')
    .innerJoin('users as u', 'u.key', 'members.user_key')
    .select(['members.author_key', 'members.id', 'members.role', 'members.is_deactivated'])
    .select(['members.created_at', 'members.last_seen_at', 'a.name', 'a.avatar', 'u.id as user_id', 'u.email'])

/** Who asks, by their keys or by places for them in a prepared statement. */
interface Asking {
  workspace: number
  me: number
  seesAll: boolean
}

const askingOf = (viewer: Viewer): Asking => ({
  workspace: viewer.workspace.key,
  me: viewer.author.key,
  seesAll: seesPublic(viewer),
})

/** The members this viewer may see: all of the workspace, or for a guest those they share a place with. */
function visibleMembers(
  db: Reader,
  { workspace, me, seesAll }: Asking,
  from: Members = db.selectFrom('members'),
): Members {
  const members = from.where('members.workspace_key', '=', workspace)
  if (seesAll) return members
  return members.where((eb) =>
    eb.or([
      eb('members.author_key', '=', me),
      eb(
        'members.author_key',
        'in',
        db
          .selectFrom('channel_members as mine')
          .innerJoin('channels', 'channels.key', 'mine.channel_key')
          .innerJoin('channel_members as theirs', 'theirs.channel_key', 'mine.channel_key')
          .where('mine.author_key', '=', me)
          .where('mine.workspace_key', '=', workspace)
          .where('channels.archived_at', 'is', null)
          .select('theirs.author_key'),
      ),
      eb(
        'members.author_key',
        'in',
        db
          .selectFrom('thread_members as mine')
          .innerJoin('thread_members as theirs', 'theirs.thread_key', 'mine.thread_key')
          .where('mine.author_key', '=', me)
          .where('mine.workspace_key', '=', workspace)
          .select('theirs.author_key'),
      ),
    ]),
  )
}

/** A member this viewer may see. */
export const findMember = async (db: Reader, viewer: Viewer, id: string): Promise<MemberRow | undefined> =>
  (await withRecord(visibleMembers(db, askingOf(viewer)))
    .where('a.workspace_key', '=', viewer.workspace.key)
    .where('a.id', '=', id)
    .executeTakeFirst()) as MemberRow | undefined

/** The member with this e-mail address, whoever asks. */
export const findMemberByEmail = async (
  db: Reader,
  workspaceKey: number,
  email: string,
): Promise<MemberRow | undefined> =>
  (await withRecord(db.selectFrom('members').where('members.workspace_key', '=', workspaceKey))
    .where('u.email', '=', email)
    .executeTakeFirst()) as MemberRow | undefined

/** A member as the one who does something, whoever asks. */
export async function findMemberViewer(db: Reader, authorKey: number): Promise<Viewer | undefined> {
  const row = await db
    .selectFrom('authors as a')
    .innerJoin('members as m', 'm.author_key', 'a.key')
    .innerJoin('workspaces as w', 'w.key', 'a.workspace_key')
    .where('a.key', '=', authorKey)
    .select(['a.key', 'a.id', 'a.type', 'a.name', 'a.card', 'm.role'])
    .select(['w.key as workspace_key', 'w.id as workspace_id', 'w.slug', 'w.name as workspace_name'])
    .executeTakeFirst()
  if (!row) return undefined
  const { key, id, type, name, card, role } = row
  return {
    workspace: { key: row.workspace_key, id: row.workspace_id, slug: row.slug, name: row.workspace_name },
    author: { key, id, type, name, card },
    role,
    scopes: ['admin'],
  }
}

/** All members with these roles, in this order. */
export const memberRanges = (viewer: Viewer, roles: readonly Role[], sort: MemberSort): Ranges => ({
  table: 'members',
  key: 'author_key',
  at: sort,
  id: 'id',
  branches: roles.map((role) => ({ workspace_key: viewer.workspace.key, role })),
})

/** One slice of them, as they are now. */
export const listMembers = (db: Reader, ranges: Ranges, slice: Slice<MemberSort>) =>
  listRanges<MemberRow>(db, 'members.list', ranges, slice, (keys) =>
    withRecord(db.selectFrom(keys).innerJoin('members', 'members.author_key', 'k.key')),
  )

/** The members with these keys, for a viewer who was found to see them. */
export const findMembers = async (db: Reader, keys: readonly number[]): Promise<MemberRow[]> =>
  keys.length === 0
    ? []
    : db.prepared<MemberRow>(
        `members.findMany ${keys.length}`,
        (slot) => withRecord(db.selectFrom('members').where('members.author_key', 'in', slotsFor(keys, slot))),
        { ...keys },
      )

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

/** One person, in however many workspaces. */
export async function findOrInsertUser(db: Writer, user: { id: string; email: string; created_at: number }) {
  await db
    .insertInto('users')
    .values(user)
    .onConflict((conflict) => conflict.column('email').doNothing())
    .execute()
  return db.selectFrom('users').where('email', '=', user.email).select('key').executeTakeFirstOrThrow()
}

export const insertMember = (
  db: Writer,
  member: {
    author_key: number
    workspace_key: number
    id: string
    user_key: number
    role: Role
    created_at: number
    search_text: string
  },
) =>
  db
    .insertInto('members')
    .values({ ...member, is_deactivated: 0, last_seen_at: member.created_at })
    .execute()

export const setMember = (
  db: Writer,
  authorKey: number,
  changes: { role?: Role; is_deactivated?: number; search_text?: string },
) => db.updateTable('members').set(changes).where('author_key', '=', authorKey).execute()

/** Admins who can still act. Asked only when one is about to stop being one. */
export const findOtherActiveAdmin = (db: Reader, viewer: Viewer, authorKey: number) =>
  db
    .selectFrom('members')
    .where('workspace_key', '=', viewer.workspace.key)
    .where('role', '=', 'admin')
    .where('is_deactivated', '=', 0)
    .where('author_key', '!=', authorKey)
    .select('author_key')
    .limit(1)
    .executeTakeFirst()

/** Notes when members were last seen. No revision: no cache holds it. */
export async function setLastSeen(db: Writer, authorKeys: readonly number[], now: number) {
  await db
    .updateTable('members')
    .set({ last_seen_at: now })
    .where('author_key', 'in', authorKeys)
    .where('last_seen_at', '<', now)
    .execute()
}

/** Names and e-mail addresses, as one text to look into. */
export const searchTextOf = (foldedName: string, foldedEmail: string) => `${foldedName}\n${foldedEmail}`
