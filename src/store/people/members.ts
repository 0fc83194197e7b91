import { sql } from 'kysely'
import type { Member, Role } from '../../contract/members'
import type { Links } from '../../domain/links'
import type { Slice } from '../../domain/lists/paging'
import type { Viewer } from '../../domain/permissions'
import { timestamp } from '../../domain/timestamps'
import { viewerKeysOf, visibleMembers } from '../access/visibility'
import { setVisibilityHashes } from '../access/visibility-hash'
import { prepare, type Reader, type Writer } from '../engines/db'
import type { SqlSyntax } from '../engines/syntax'
import { definePages, listRows } from '../lists/list'
import type { IndexRanges } from '../lists/ranges'
import { avatarUrls, boolean, type Json, object, plain, storedAuthor, text, toSql } from '../lists/record-json'

export type MemberSort = 'created_at' | 'last_seen_at'

/** A member as their record shows them, from `members`, `authors` as `a` and `users` as `u`. */
const memberJson = (syntax: SqlSyntax, base: string): Json<Member> =>
  object<Member>({
    id: plain('members.id'),
    created_at: plain('members.created_time'),
    role: plain<Role>('members.role'),
    is_deactivated: boolean('members.is_deactivated'),
    user: object<Member['user']>({
      id: plain('members.user_id'),
      email: text(syntax, 'u.email'),
      avatar_urls: avatarUrls(base, 'a'),
      display_name: text(syntax, 'a.name'),
    }),
  })

export const readMembersPage = definePages((syntax, base) => ({
  json: memberJson(syntax, base),
  joins: sql`JOIN members ON members.author_key = k.key JOIN authors AS a ON a.key = k.key
    JOIN users AS u ON u.key = members.user_key`,
}))

const memberColumns = [
  ...(['members.author_key', 'members.id', 'members.role', 'members.is_deactivated', 'members.created_at'] as const),
  ...(['a.name', 'a.avatar', 'members.user_id', 'u.email'] as const),
] as const

export type MemberRow = NonNullable<Awaited<ReturnType<typeof findMemberByEmail>>>

/** A member this viewer may see. */
export const findMember = (db: Reader, viewer: Viewer, id: string): Promise<MemberRow | undefined> =>
  visibleMembers(db, viewerKeysOf(viewer))
    .innerJoin('authors as a', 'a.key', 'members.author_key')
    .innerJoin('users as u', 'u.key', 'members.user_key')
    .where('a.workspace_key', '=', viewer.workspace.key)
    .where('a.id', '=', id)
    .select(memberColumns)
    .executeTakeFirst()

const membersOf = (db: Reader, workspaceKey: number) =>
  db
    .selectFrom('members')
    .innerJoin('authors as a', 'a.key', 'members.author_key')
    .innerJoin('users as u', 'u.key', 'members.user_key')
    .where('members.workspace_key', '=', workspaceKey)
    .select(memberColumns)

/** The member with this e-mail address, for any viewer. */
export const findMemberByEmail = (db: Reader, workspaceKey: number, email: string) =>
  membersOf(db, workspaceKey).where('u.email', '=', email).executeTakeFirst()

/** The members with these e-mail addresses, in no order. */
export const findMembersByEmail = async (db: Reader, workspaceKey: number, emails: readonly string[]) =>
  emails.length === 0 ? [] : membersOf(db, workspaceKey).where('u.email', 'in', emails).execute()

/** The rows of a slice of members, for the command line, which does not show a total. */
export const listMembers = (db: Reader, ranges: IndexRanges, slice: Slice) =>
  listRows(
    db,
    ranges,
    slice,
    (keys) =>
      keys
        .innerJoin('members', 'members.author_key', 'k.key')
        .innerJoin('authors as a', 'a.key', 'k.key')
        .innerJoin('users as u', 'u.key', 'members.user_key')
        .select(memberColumns)
        .select('members.last_seen_at'),
    sql<number>`0`,
  )

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

/** A member as a viewer. */
export async function findMemberViewer(db: Reader, authorKey: number): Promise<Viewer | undefined> {
  const row = await db
    .selectFrom('authors as a')
    .innerJoin('members as m', 'm.author_key', 'a.key')
    .innerJoin('workspaces as w', 'w.key', 'a.workspace_key')
    .where('a.key', '=', authorKey)
    .select(['a.key', 'a.id', 'a.type', 'a.name', 'm.role', storedAuthor('a').as('stored')])
    .select(['w.key as workspace_key', 'w.id as workspace_id', 'w.slug', 'w.name as workspace_name'])
    .executeTakeFirst()
  if (!row) return undefined
  const { key, id, type, name, stored, role } = row
  return {
    workspace: { key: row.workspace_key, id: row.workspace_id, slug: row.slug, name: row.workspace_name },
    author: { key, id, type, name, stored },
    role,
    scopes: ['admin'],
  }
}

/** The same, unless they are deactivated. */
export const findActiveViewer = async (db: Reader, authorKey: number): Promise<Viewer | undefined> => {
  const active = await db
    .selectFrom('members')
    .where('author_key', '=', authorKey)
    .where('is_deactivated', '=', false)
    .select('author_key')
    .executeTakeFirst()
  return active && findMemberViewer(db, authorKey)
}

/** All members with these roles, in this order. */
export const memberRanges = (viewer: Viewer, roles: readonly Role[], sort: MemberSort): IndexRanges => ({
  table: 'members',
  key: 'author_key',
  at: sort,
  id: 'id',
  records: 'authors',
  ranges: roles.map((role) => ({ workspace_key: viewer.workspace.key, role })),
})

const membersByKey = prepare((db, param, base: string) =>
  db
    .selectFrom('members')
    .innerJoin('authors as a', 'a.key', 'members.author_key')
    .innerJoin('users as u', 'u.key', 'members.user_key')
    .where(db.syntax.isInJson('members.author_key', param('keys')))
    .select(['a.key', toSql(memberJson(db.syntax, base)).as('json')]),
)

/** Adds the JSON of their records to members that the viewer was found to see. */
export async function addMemberJson<Found extends { key: number }>(db: Reader, base: string, found: readonly Found[]) {
  if (found.length === 0) return []
  const keys = JSON.stringify(found.map(({ key }) => key))
  const records = new Map((await membersByKey(db, [base], { keys })).map(({ key, json }) => [key, json]))
  return found.flatMap((row) => (records.has(row.key) ? [{ ...row, json: records.get(row.key)! }] : []))
}

/** The account of one person, in however many workspaces. */
export async function findOrInsertUser(db: Writer, user: { id: string; email: string; created_at: number }) {
  await db
    .insertInto('users')
    .values(user)
    .onConflict((conflict) => conflict.column('email').doNothing())
    .execute()
  return db.selectFrom('users').where('email', '=', user.email).select(['key', 'email']).executeTakeFirstOrThrow()
}

export const insertMember = (
  db: Writer,
  user: { key: number },
  member: {
    author_key: number
    workspace_key: number
    id: string
    user_id: string
    role: Role
    created_at: number
    read_revision: number
    invited_by_key?: number
    search_text: string
  },
) =>
  db
    .insertInto('members')
    .values({
      ...member,
      user_key: user.key,
      is_deactivated: false,
      last_seen_at: member.created_at,
    })
    .execute()

export async function setMember(
  db: Writer,
  authorKey: number,
  changes: { role?: Role; is_deactivated?: boolean; search_text?: string },
) {
  await db.updateTable('members').set(changes).where('author_key', '=', authorKey).execute()
  if (changes.role) await setVisibilityHashes(db, [authorKey])
}

/** Another active admin. Queried when an admin is about to lose the role. */
export const findOtherActiveAdmin = (db: Reader, viewer: Viewer, authorKey: number) =>
  db
    .selectFrom('members')
    .where('workspace_key', '=', viewer.workspace.key)
    .where('role', '=', 'admin')
    .where('is_deactivated', '=', false)
    .where('author_key', '!=', authorKey)
    .select('author_key')
    .limit(1)
    .executeTakeFirst()

/** Records when members were last seen. This needs no new revision: it is not cached. */
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

export const toMember = (links: Links, row: MemberRow): Member => ({
  id: row.id,
  role: row.role,
  created_at: timestamp(row.created_at),
  is_deactivated: row.is_deactivated,
  user: { id: row.user_id, avatar_urls: links.avatar(row.avatar), email: row.email, display_name: row.name },
})
