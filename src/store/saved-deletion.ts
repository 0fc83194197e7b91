import type { Writer } from './engines/db'

/** When a post is deleted, deletes its pin, and removes it from the saved posts of all members. */
export async function deletePinAndSaves(db: Writer, postKey: number) {
  await db.deleteFrom('pins').where('post_key', '=', postKey).execute()
  await db.deleteFrom('saved_posts').where('post_key', '=', postKey).execute()
}
