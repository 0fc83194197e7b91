import type { Visibility } from '../domain/event-visibility'
import { seesPublic, type Viewer } from '../domain/permissions'
import type { Reader } from './db'

/** Every channel and thread this viewer can see now, by key. */
export async function findVisibility(db: Reader, viewer: Viewer): Promise<Visibility> {
  const channels = await db
    .selectFrom('channels')
    .leftJoin('channel_members as mine', (join) =>
      join.onRef('mine.channel_key', '=', 'channels.key').on('mine.author_key', '=', viewer.author.key),
    )
    .where('channels.workspace_key', '=', viewer.workspace.key)
    .where((eb) =>
      seesPublic(viewer)
        ? eb.or([eb('channels.is_private', '=', false), eb('mine.author_key', 'is not', null)])
        : eb('mine.author_key', 'is not', null),
    )
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
