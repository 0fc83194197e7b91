import { newId } from '../src/domain/ids'
import { time } from './server'
import type { Person, World } from './world'

/** A file that someone has uploaded, as far as the database knows it. */
export function insertFile(
  { server, workspaceKey }: Pick<World, 'server' | 'workspaceKey'>,
  who: Pick<Person, 'id'>,
  facts: { name?: string; content_type?: string; width?: number | null; height?: number | null } = {},
): Promise<string> {
  const now = time.now()
  const id = newId('file', now)
  return server.parley.engine.write(async (db) => {
    const author = await db
      .selectFrom('authors')
      .where('id', '=', who.id)
      .select(['key', 'workspace_key'])
      .executeTakeFirstOrThrow()
    const workspace_key = author.workspace_key ?? workspaceKey
    const blob = await db
      .insertInto('blobs')
      .values({ workspace_key, hash: id, object: `test/${id}`, size: 2_000, created_at: now })
      .returning('key')
      .executeTakeFirstOrThrow()
    await db
      .insertInto('files')
      .values({
        ...{ id, workspace_key, author_key: author.key, blob_key: blob.key, size: 2_000, created_at: now },
        ...{ name: 'cat.png', content_type: 'image/png', width: 40, height: 30, ...facts },
        erase_at: now + 24 * 60 * 60 * 1000,
      })
      .execute()
    await db
      .updateTable('workspaces')
      .set((eb) => ({ files_bytes: eb('files_bytes', '+', 2_000) }))
      .where('key', '=', workspace_key)
      .execute()
    return id
  })
}
