import type { Writer } from '../engines/db'

/** Pins a post of the sample data, and saves it for these members. */
export async function insertPinAndSaves(
  db: Writer,
  workspace_key: number,
  { id, author_key }: { id: string; author_key: number },
  { savedBy, at }: { savedBy: readonly number[]; at: number },
) {
  const post = await db
    .selectFrom('posts')
    .where('workspace_key', '=', workspace_key)
    .where('id', '=', id)
    .select(['key', 'channel_key'])
    .executeTakeFirstOrThrow()
  const place = { post_key: post.key, post_id: id, workspace_key }
  await db
    .insertInto('pins')
    .values({ ...place, channel_key: post.channel_key, author_key, pinned_at: at })
    .execute()
  if (savedBy.length === 0) return
  await db
    .insertInto('saved_posts')
    .values(savedBy.map((member) => ({ ...place, author_key: member, saved_at: at, remind_at: null })))
    .execute()
}
