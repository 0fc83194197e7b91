import type { Visibility } from '../domain/events/visibility'
import type { Viewer } from '../domain/permissions'
import type { Reader } from './db'
import { channelIsVisible, viewerKeysOf } from './visibility'

/** Every channel and thread this viewer can see now, by key. */
export async function findVisibility(db: Reader, viewer: Viewer): Promise<Visibility> {
  const channels = await db
    .selectFrom('channels')
    .where('channels.workspace_key', '=', viewer.workspace.key)
    .where(channelIsVisible('channels', viewerKeysOf(viewer)))
    .select(['channels.key', 'channels.archived_at'])
    .execute()
  const threads = await db
    .selectFrom('thread_members')
    .where('workspace_key', '=', viewer.workspace.key)
    .where('author_key', '=', viewer.author.key)
    .select('thread_key')
    .execute()
  const keys = (archived: boolean) =>
    new Set(channels.filter(({ archived_at }) => (archived_at !== null) === archived).map(({ key }) => key))
  return { channels: keys(false), archivedChannels: keys(true), threads: new Set(threads.map((row) => row.thread_key)) }
}
