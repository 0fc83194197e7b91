import type { Reader } from '../engines/db'

/** Whether content was made here before: then more must differ from it. */
export const hasSeed = async (db: Reader, workspaceKey: number): Promise<boolean> =>
  (await db
    .selectFrom('events')
    .where('workspace_key', '=', workspaceKey)
    .where('type', '=', 'workspace.seeded')
    .select('revision')
    .limit(1)
    .executeTakeFirst()) !== undefined

/** The names that are in use, and the admins who are there already. */
export async function findTaken(db: Reader, workspaceKey: number) {
  const emails = await db
    .selectFrom('members as m')
    .innerJoin('users as u', 'u.key', 'm.user_key')
    .where('m.workspace_key', '=', workspaceKey)
    .select('u.email')
    .execute()
  const channels = await db
    .selectFrom('channels')
    .where('workspace_key', '=', workspaceKey)
    .select('name_fold')
    .execute()
  const apps = await db.selectFrom('apps').where('workspace_key', '=', workspaceKey).select('name_fold').execute()
  return {
    emails: new Set(emails.map(({ email }) => email)),
    channels: new Set(channels.map(({ name_fold }) => name_fold)),
    apps: new Set(apps.map(({ name_fold }) => name_fold)),
  }
}

export const listFirstAdmins = (db: Reader, workspaceKey: number, limit: number) =>
  db
    .selectFrom('members as m')
    .innerJoin('authors as a', 'a.key', 'm.author_key')
    .where('m.workspace_key', '=', workspaceKey)
    .where('m.role', '=', 'admin')
    .where('m.is_deactivated', '=', false)
    .select(['a.key', 'a.id', 'a.name', 'm.role', 'm.created_at as joined_at'])
    .orderBy('m.created_at')
    .orderBy('m.id')
    .limit(limit)
    .execute()
