import type { Writer } from './db'

/** Deletes the pin of a post that goes, and that members saved it. */
export async function deletePinAndSaves(db: Writer, postKey: number) {
  await db.deleteFrom('pins').where('post_key', '=', postKey).execute()
  await db.deleteFrom('saved_posts').where('post_key', '=', postKey).execute()
}
