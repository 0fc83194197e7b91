import type { SelectQueryBuilder } from 'kysely'
import type { Role } from '../contract/members'
import type { Slice } from '../domain/paging'
import type { Viewer } from '../domain/permissions'
import { type Reader, slotsFor, type Writer } from './db'
import { listRanges, type Ranges } from './keyset'
import { askingOf, visibleMembers } from './visible-members'

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

export type MemberSort = 'created_at' | 'last_seen_at'

// biome-ignore lint/suspicious/noExplicitAny: any query that has the table `members`
const withRecord = (query: SelectQueryBuilder<any, any, any>) =>
  query
    .innerJoin('authors as a', 'a.key', 'members.author_key')
    .innerJoin('users as u', 'u.key', 'members.user_key')
    .select(['members.author_key', 'members.id', 'members.role', 'members.is_deactivated'])
    .select(['members.created_at', 'members.last_seen_at', 'a.name', 'a.avatar', 'u.id as user_id', 'u.email'])

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

/** The e-mail address of a member. */
export const findEmail = async (db: Reader, authorKey: number): Promise<string> =>
  (
    await db
      .selectFrom('members as m')
      .innerJoin('users as u', 'u.key', 'm.user_key')
      .where('m.author_key', '=', authorKey)
      .select('u.email')
      .executeTakeFirstOrThrow()
  ).email

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
