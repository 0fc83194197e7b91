import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Visibility } from '../../domain/events/visibility'
import { accessKeyOf, seesPublic, type Viewer } from '../../domain/permissions'
import type { ParamFor, Reader, Value } from '../engines/db'

/** What queries need to know about a viewer. The keys are numbers, or parameters of a prepared statement. */
export interface ViewerKeys {
  workspace: number
  me: number
  seesPublic: boolean
}

export const viewerKeysOf = (viewer: Viewer): ViewerKeys => ({
  workspace: viewer.workspace.key,
  me: accessKeyOf(viewer),
  seesPublic: seesPublic(viewer),
})

/** The same as parameters. `seesPublic` changes the text of the statement, so it is part of its shape. */
export const viewerParams = (param: ParamFor, seesPublic: boolean): ViewerKeys => ({
  workspace: param<number>('workspace'),
  me: param<number>('me'),
  seesPublic,
})

/** Who can see something: a viewer, or any member, by the name that `members` has in the statement. */
type Who = Pick<ViewerKeys, 'me' | 'seesPublic'> | { member: string }

/** The rule who can see a channel, archived or not: its members, and if it is public, everyone but guests. */
export function channelIsVisible(channel: string, who: Who): RawBuilder<SqlBool> {
  const isPublic = sql<SqlBool>`${sql.ref(`${channel}.is_private`)} = 0`
  if ('member' in who) {
    const isIn = isMember(channel, sql.ref(`${who.member}.author_key`))
    return sql<SqlBool>`((${isPublic} AND ${sql.ref(`${who.member}.role`)} <> 'guest') OR ${isIn})`
  }
  const isIn = isMember(channel, who.me)
  return who.seesPublic ? sql<SqlBool>`(${isPublic} OR ${isIn})` : isIn
}

const isMember = (channel: string, author: number | RawBuilder<unknown>): RawBuilder<SqlBool> =>
  sql<SqlBool>`EXISTS (SELECT 1 FROM channel_members AS mine
    WHERE mine.channel_key = ${sql.ref(`${channel}.key`)} AND mine.author_key = ${author as Value})`

/** Whether the viewer is in a channel, or is not. */
export const isJoined = (channel: string, { me }: Pick<ViewerKeys, 'me'>, joined: boolean): RawBuilder<SqlBool> =>
  joined ? isMember(channel, me) : sql<SqlBool>`NOT ${isMember(channel, me)}`

/** Posts and comments of an archived channel are not visible. */
export const canSeeChannel = (channel: string, who: Who): RawBuilder<SqlBool> =>
  sql<SqlBool>`(${sql.ref(`${channel}.archived_at`)} IS NULL AND ${channelIsVisible(channel, who)})`

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

/** Everyone who is in a channel or a thread that the viewer is in too. */
export const sharedWith = (db: Pick<Reader, 'selectFrom'>, { workspace, me }: Pick<ViewerKeys, 'workspace' | 'me'>) =>
  db
    .selectFrom('channel_members as mine')
    .innerJoin('channels', 'channels.key', 'mine.channel_key')
    .innerJoin('channel_members as theirs', 'theirs.channel_key', 'mine.channel_key')
    .where('mine.workspace_key', '=', workspace)
    .where('mine.author_key', '=', me)
    .where('channels.archived_at', 'is', null)
    .select('theirs.author_key')
    .union(
      db
        .selectFrom('thread_members as mine')
        .innerJoin('thread_members as theirs', 'theirs.thread_key', 'mine.thread_key')
        .where('mine.workspace_key', '=', workspace)
        .where('mine.author_key', '=', me)
        .select('theirs.author_key'),
    )

/** The members this viewer may see: all of the workspace, or for a guest those they share a channel or a thread with. */
export function visibleMembers(db: Pick<Reader, 'selectFrom'>, viewer: ViewerKeys) {
  const members = db.selectFrom('members').where('members.workspace_key', '=', viewer.workspace)
  if (viewer.seesPublic) return members
  return members.where((eb) =>
    eb.or([eb('members.author_key', '=', viewer.me), eb('members.author_key', 'in', sharedWith(db, viewer))]),
  )
}
