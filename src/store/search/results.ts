import { sql } from 'kysely'
import { type SearchType, searchTypes } from '../../contract/search'
import type { Viewer } from '../../domain/permissions'
import { kindNumbers } from '../../domain/references'
import { canSeeChannel, viewerKeysOf, viewerParams } from '../access/visibility'
import { commentJson } from '../content/comments'
import { messageJson } from '../content/messages'
import { postJson } from '../content/posts'
import { prepare, type Reader } from '../engines/db'
import type { Match } from '../engines/search/search-index'
import { toSql } from '../lists/record-json'

/** A record that was found, as JSON, with what it belongs to. */
export interface FoundRecord {
  key: number
  id: string
  record: string
  created_at: number
  subject_id: string
  /** Of the post it belongs to; null for messages. */
  post_title: string | null
  channel_id: string | null
  channel_name: string | null
  /** The title of the thread of a message. */
  thread_title: string | null
}

const recordsByKeys = prepare((db, param, type: string, base: string, seesPublic: boolean) => {
  const viewer = viewerParams(param, seesPublic)
  const isChosen = (column: string) => db.syntax.isInJson(column, param<string>('keys'))
  // Not by the index of a workspace: SQLite would rather read all of it than look the keys up.
  const isOfWorkspace = (column: string) => sql`${sql.ref(column)} + 0 = ${viewer.workspace}`
  const postColumns = sql`p.id AS subject_id, p.title AS post_title, c.id AS channel_id, c.name AS channel_name,
    NULL AS thread_title`
  const inChannel = sql`JOIN channels AS c ON c.key = p.channel_key`
  const isOpen = canSeeChannel('c', viewer)
  return {
    post: sql<FoundRecord>`SELECT p.key, p.id, ${toSql(postJson(db.syntax, base))} AS record, p.published_at AS created_at, ${postColumns}
      FROM posts AS p ${inChannel} JOIN authors AS a ON a.key = p.author_key JOIN post_activity AS n ON n.post_key = p.key
      WHERE ${isChosen('p.key')} AND ${isOfWorkspace('p.workspace_key')} AND ${isOpen}`,
    comment: sql<FoundRecord>`SELECT m.key, m.id, ${toSql(commentJson(db.syntax, base))} AS record, m.created_at, ${postColumns}
      FROM comments AS m JOIN posts AS p ON p.key = m.post_key ${inChannel} JOIN authors AS a ON a.key = m.author_key
      WHERE ${isChosen('m.key')} AND ${isOfWorkspace('m.workspace_key')} AND m.is_deleted = 0 AND ${isOpen}`,
    message: sql<FoundRecord>`SELECT m.key, m.id, ${toSql(messageJson(db.syntax, base))} AS record, m.created_at, t.id AS subject_id,
        NULL AS post_title, NULL AS channel_id, NULL AS channel_name, t.title AS thread_title
      FROM messages AS m JOIN threads AS t ON t.key = m.thread_key JOIN authors AS a ON a.key = m.author_key
      JOIN thread_members AS mine ON mine.thread_key = m.thread_key AND mine.author_key = ${viewer.me}
      WHERE ${isChosen('m.key')} AND ${isOfWorkspace('m.workspace_key')}`,
  }[type as SearchType]
})

/** The records of matches, by type and key. One that went meanwhile, or that the viewer may no longer see, is missing. */
export async function readRecords(
  db: Reader,
  viewer: Viewer,
  base: string,
  matches: readonly Match[],
): Promise<(match: Match) => FoundRecord | undefined> {
  const { seesPublic, ...keys } = viewerKeysOf(viewer)
  const found = new Map<string, FoundRecord>()
  for (const type of searchTypes) {
    const recordKeys = matches.filter((match) => match.type === kindNumbers[type]).map(({ record_key }) => record_key)
    if (recordKeys.length === 0) continue
    const values = { ...keys, keys: JSON.stringify(recordKeys) }
    for (const row of await recordsByKeys(db, [type, base, seesPublic], values))
      found.set(`${kindNumbers[type]} ${row.key}`, row)
  }
  return ({ type, record_key }) => found.get(`${type} ${record_key}`)
}
