import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { seesPublic, type Viewer } from '../domain/permissions'
import type { SlotFor, Value } from './db'

/** Who asks, as far as a query needs to know: by their keys, or by slots for them. */
export interface Asking {
  workspace: number
  me: number
  seesPublic: boolean
}

export const askingOf = (viewer: Viewer): Asking => ({
  workspace: viewer.workspace.key,
  me: viewer.author.key,
  seesPublic: seesPublic(viewer),
})

/** The same for a prepared statement; whether they see what is public is part of its shape. */
export const askingIn = (slot: SlotFor, seesPublic: boolean): Asking => ({
  workspace: slot<number>('workspace'),
  me: slot<number>('me'),
  seesPublic,
})

/** The one rule on who sees a channel, archived or not: what is public, unless they are a guest, and what they are in. */
export function channelIsVisible(
  channel: string,
  { me, seesPublic }: Pick<Asking, 'me' | 'seesPublic'>,
): RawBuilder<SqlBool> {
  const isIn = sql<SqlBool>`EXISTS (SELECT 1 FROM channel_members AS mine
    WHERE mine.channel_key = ${sql.ref(`${channel}.key`)} AND mine.author_key = ${me as Value})`
  return seesPublic ? sql<SqlBool>`(${sql.ref(`${channel}.is_private`)} = 0 OR ${isIn})` : isIn
}

/** Posts and comments of a channel are seen while it is not archived. */
export const channelIsOpen = (channel: string, asking: Pick<Asking, 'me' | 'seesPublic'>): RawBuilder<SqlBool> =>
  sql<SqlBool>`(${sql.ref(`${channel}.archived_at`)} IS NULL AND ${channelIsVisible(channel, asking)})`
