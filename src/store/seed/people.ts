import { fold } from '../../contract/browser/fold'
import { type Role, roles } from '../../contract/members'
import { authorFields, memberFields, userFields } from '../../domain/record-fields'
import { insertRows } from '../engines/bulk'
import type { Writer } from '../engines/db'
import { searchTextOf } from '../people/members'
import { addToWorkspace, memberCounter } from '../people/workspaces'

/** Someone who can write, as seeding knows them. */
export interface SeededAuthor {
  key: number
  id: string
  name: string
  /** Null for an app. */
  role: Role | null
  joined_at: number
  isFounder: boolean
}

export interface NewPerson {
  id: string
  name: string
  avatar: string
  email: string
  /** The id of the account, if the address has none yet. */
  account_id: string
  user_id: string
  role: Role
  is_deactivated: boolean
  job_title: string | null
  time_zone: string | null
  created_at: number
  last_seen_at: number
}

export interface NewApp {
  id: string
  name: string
  avatar: string
  created_at: number
}

export async function insertPeople(db: Writer, workspace_key: number, people: readonly NewPerson[]) {
  const users = await findOrInsertUsers(db, people)
  const keys = await db.syntax.reserveKeys(db, 'authors', people.length)
  await insertAuthors(db, workspace_key, 'member', keys, people)
  await insertRows(
    db,
    'members',
    people.map((person, at) => ({
      author_key: keys[at]!,
      workspace_key,
      id: person.id,
      user_key: users.get(person.email)!,
      user_id: person.user_id,
      role: person.role,
      is_deactivated: person.is_deactivated,
      created_at: person.created_at,
      last_seen_at: person.last_seen_at,
      job_title: person.job_title,
      time_zone: person.time_zone,
      search_text: searchTextOf(fold(person.name), fold(person.email)),
      fields: memberFields(person),
      user_fields: userFields({ id: person.user_id, email: person.email }),
    })),
  )
  for (const role of roles) {
    const count = people.filter((person) => person.role === role).length
    if (count > 0) await addToWorkspace(db, workspace_key, memberCounter[role], count)
  }
  return keys
}

/** The keys of accounts by address. Who is in another workspace already has the same account here. */
async function findOrInsertUsers(db: Writer, people: readonly NewPerson[]) {
  const emails = people.map(({ email }) => email)
  const existing = await db.selectFrom('users').where('email', 'in', emails).select(['email', 'key']).execute()
  const users = new Map(existing.map(({ email, key }) => [email, key]))
  const missing = people.filter(({ email }) => !users.has(email))
  const reserved = await db.syntax.reserveKeys(db, 'users', missing.length)
  await insertRows(
    db,
    'users',
    missing.map(({ email, account_id, created_at }, at) => ({ key: reserved[at]!, id: account_id, email, created_at })),
  )
  missing.forEach(({ email }, at) => void users.set(email, reserved[at]!))
  return users
}

export async function insertApps(db: Writer, workspace_key: number, apps: readonly NewApp[]) {
  const keys = await db.syntax.reserveKeys(db, 'authors', apps.length)
  await insertAuthors(db, workspace_key, 'app', keys, apps)
  await insertRows(
    db,
    'apps',
    apps.map(({ id, name, created_at }, at) => ({
      author_key: keys[at]!,
      workspace_key,
      id,
      name_fold: fold(name),
      created_at,
      updated_at: created_at,
    })),
  )
  await addToWorkspace(db, workspace_key, 'apps_count', apps.length)
  return keys
}

const insertAuthors = (
  db: Writer,
  workspace_key: number,
  type: 'app' | 'member',
  keys: readonly number[],
  authors: readonly { id: string; name: string; avatar: string }[],
) =>
  insertRows(
    db,
    'authors',
    authors.map(({ id, name, avatar }, at) => ({
      key: keys[at]!,
      workspace_key,
      id,
      type,
      name,
      avatar,
      fields: authorFields({ id, type, name }),
      threads_count: 0,
      tokens_count: 0,
    })),
  )
