import type { Viewer } from '../domain/permissions'
import type { Reader, Writer } from './db'

/** An author as rows carry it: type, id, avatar and name in one text. */
export interface AuthorRow {
  author: string
}

/** An author of the workspace by its public id, gone apps left out. */
export const findAuthors = (db: Reader, viewer: Viewer, ids: readonly string[]) =>
  db
    .selectFrom('authors')
    .leftJoin('members', 'members.author_key', 'authors.key')
    .leftJoin('apps', 'apps.author_key', 'authors.key')
    .where('authors.workspace_key', '=', viewer.workspace.key)
    .where('authors.id', 'in', ids)
    .where((eb) => eb.or([eb('members.author_key', 'is not', null), eb('apps.author_key', 'is not', null)]))
    .select(['authors.key', 'authors.id', 'authors.name', 'authors.card', 'members.is_deactivated'])
    .execute()

export async function findAuthor(db: Reader, viewer: Viewer, id: string) {
  const [author] = await findAuthors(db, viewer, [id])
  return author
}

export const insertAuthor = (
  db: Writer,
  author: { workspace_key: number; id: string; type: 'app' | 'member'; name: string; avatar: string },
) =>
  db
    .insertInto('authors')
    .values({ ...author, threads_count: 0, tokens_count: 0 })
    .returning('key')
    .executeTakeFirstOrThrow()

export const setAuthorName = (db: Writer, key: number, name: string, avatar: string) =>
  db.updateTable('authors').set({ name, avatar }).where('key', '=', key).execute()
