import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { accessKeyOf, seesPublic, type Viewer } from '../domain/permissions'
import type { ParamFor, Value } from './engines/db'

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

/** The rule who can see a channel, archived or not: its members, and if it is public, everyone but guests. */
export function channelIsVisible(
  channel: string,
  { me, seesPublic }: Pick<ViewerKeys, 'me' | 'seesPublic'>,
): RawBuilder<SqlBool> {
  const isIn = isMember(channel, me)
  return seesPublic ? sql<SqlBool>`(${sql.ref(`${channel}.is_private`)} = 0 OR ${isIn})` : isIn
}

const isMember = (channel: string, me: number): RawBuilder<SqlBool> =>
  sql<SqlBool>`EXISTS (SELECT 1 FROM channel_members AS mine
    WHERE mine.channel_key = ${sql.ref(`${channel}.key`)} AND mine.author_key = ${me as Value})`

/** Whether the viewer is in a channel, or is not. */
export const isJoined = (channel: string, { me }: Pick<ViewerKeys, 'me'>, joined: boolean): RawBuilder<SqlBool> =>
  joined ? isMember(channel, me) : sql<SqlBool>`NOT ${isMember(channel, me)}`

/** Posts and comments of an archived channel are not visible. */
export const channelIsOpen = (channel: string, viewer: Pick<ViewerKeys, 'me' | 'seesPublic'>): RawBuilder<SqlBool> =>
  sql<SqlBool>`(${sql.ref(`${channel}.archived_at`)} IS NULL AND ${channelIsVisible(channel, viewer)})`
