import { type SqlBool, sql } from 'kysely'
import type { App } from '../../contract/apps'
import type { Links } from '../../domain/links'
import type { Slice } from '../../domain/lists/paging'
import { seesPublic, type Viewer } from '../../domain/permissions'
import { timestamp } from '../../domain/timestamps'
import { sharedWith, viewerKeysOf } from '../access/visibility'
import type { Reader, Writer } from '../engines/db'
import { contains, listRows } from '../lists/list'

export interface AppRow {
  author_key: number
  id: string
  name: string
  avatar: string
  created_at: number
  updated_at: number
}

const apps = (db: Reader, workspaceKey: number) =>
  db
    .selectFrom('apps')
    .innerJoin('authors as a', 'a.key', 'apps.author_key')
    .where('apps.workspace_key', '=', workspaceKey)
    .select(['apps.author_key', 'apps.id', 'apps.created_at', 'apps.updated_at', 'a.name', 'a.avatar'])

/** An app of the viewer's workspace. */
export const findApp = (db: Reader, viewer: Viewer, id: string): Promise<AppRow | undefined> =>
  apps(db, viewer.workspace.key).where('apps.id', '=', id).executeTakeFirst()

export const findAppByName = (db: Reader, workspaceKey: number, nameFold: string): Promise<AppRow | undefined> =>
  apps(db, workspaceKey).where('apps.name_fold', '=', nameFold).executeTakeFirst()

/** The apps whose name contains the folded text, if any, and which this viewer may see, and how many. A workspace has few. */
export function listApps(db: Reader, viewer: Viewer, text: string, slice: Slice) {
  const shared = sharedWith(db, viewerKeysOf(viewer))
  const conditions = [
    ...(text ? [contains('apps.name_fold', text)] : []),
    ...(seesPublic(viewer) ? [] : [sql`apps.author_key IN ${shared}`]),
  ]
  const list = {
    ...{ table: 'apps', key: 'author_key', at: 'created_at', id: 'id', records: 'authors' },
    ranges: [{ workspace_key: viewer.workspace.key }],
    ...(conditions.length > 0 && { where: sql<SqlBool>`${sql.join(conditions, sql` AND `)}` }),
  }
  return listRows(db, list, slice, (keys) =>
    keys
      .innerJoin('apps', 'apps.author_key', 'k.key')
      .innerJoin('authors as a', 'a.key', 'apps.author_key')
      .select(['apps.author_key', 'apps.id', 'apps.created_at', 'apps.updated_at', 'a.name', 'a.avatar']),
  )
}

export const insertApp = (
  db: Writer,
  app: { author_key: number; workspace_key: number; id: string; name_fold: string; created_at: number },
) =>
  db
    .insertInto('apps')
    .values({ ...app, updated_at: app.created_at })
    .execute()

/** The app goes; its author stays, for what it wrote. */
export const deleteApp = (db: Writer, authorKey: number) =>
  db.deleteFrom('apps').where('author_key', '=', authorKey).execute()

export const toApp = (links: Links, row: AppRow): App => ({
  id: row.id,
  name: row.name,
  avatar_urls: links.avatar(row.avatar),
  created_at: timestamp(row.created_at),
  updated_at: timestamp(row.updated_at),
})
