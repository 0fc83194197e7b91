import { fold } from '../../src/contract/browser/fold'
import { attentionNumbers } from '../../src/domain/references'
import type { Writer } from '../../src/store/engines/db'
import { insertAuthor } from '../../src/store/people/authors'
import { findOrInsertUser, insertMember, searchTextOf } from '../../src/store/people/members'

export interface Follower {
  key: number
  email: string
}

/** Has so many new members follow a channel. They are inserted as rows, to save time. */
export async function addFollowers(db: Writer, channelId: string, count: number): Promise<Follower[]> {
  const { key: channel_key, workspace_key } = await db
    .selectFrom('channels')
    .where('id', '=', channelId)
    .select(['key', 'workspace_key'])
    .executeTakeFirstOrThrow()
  const followers: Follower[] = []
  for (let number = 0; number < count; number++) {
    const id = `mem_${workspace_key}_${number}`
    const place = { workspace_key, id }
    const { key } = await insertAuthor(db, { ...place, type: 'member', name: place.id, avatar: '' })
    const email = `${key}@example.com`
    const user = await findOrInsertUser(db, { id: `user_${key}`, email, created_at: 0 })
    const search_text = searchTextOf(fold(place.id), fold(email))
    const times = { created_at: 0, read_revision: 0 }
    await insertMember(db, user, {
      ...place,
      user_id: `user_${id}`,
      ...times,
      author_key: key,
      role: 'member',
      search_text,
    })
    await db
      .insertInto('follows')
      .values({ author_key: key, kind: attentionNumbers.channel, subject_key: channel_key, level: 2 })
      .execute()
    followers.push({ key, email })
  }
  await db
    .updateTable('workspaces')
    .set((eb) => ({ members_count: eb('members_count', '+', count) }))
    .where('key', '=', workspace_key)
    .execute()
  return followers
}
