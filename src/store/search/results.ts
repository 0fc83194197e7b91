import { sql } from 'kysely'
import { type SearchType, searchTypes } from '../../contract/search'
import type { Viewer } from '../../domain/permissions'
import { TITLE_END } from '../../domain/record-fields'
import { kindNumbers } from '../../domain/references'
import { canSeeChannel, viewerKeysOf, viewerParams } from '../access/visibility'
import { commentJson } from '../content/comments'
import { messageJson } from '../content/messages'
import { postJson } from '../content/posts'
import { prepare, type Reader } from '../engines/db'
import type { Match } from '../engines/search/search-index'

/** A record that was found, as JSON, with what it belongs to. */
export interface FoundRecord {
  key: number
  id: string
  record: string
  created_at: number
  subject_id: string
  /** The beginning of the stored fields of the post it belongs to, with its title; null for messages. */
  post_fields: string | null
  channel_fields: string | null
  /** The title of the thread of a message. */
  thread_title: string | null
}

const recordsByKeys = prepare((db, param, type: string, base: string, seesPublic: boolean) => {
  const viewer = viewerParams(param, seesPublic)
  const isChosen = (column: string) => db.syntax.isInJson(column, param<string>('keys'))
  // Not by the index of a workspace: SQLite would rather read all of it than look the keys up.
  const isOfWorkspace = (column: string) => sql`${sql.ref(column)} + 0 = ${viewer.workspace}`
  const postColumns = sql`p.id AS subject_id, substr(p.fields, 1, ${sql.lit(TITLE_END)}) AS post_fields,
    c.fields AS channel_fields, NULL AS thread_title`
  const inChannel = sql`JOIN channels AS c ON c.key = p.channel_key`
  const isOpen = canSeeChannel('c', viewer)
  return {
    post: sql<FoundRecord>`SELECT p.key, p.id, ${postJson(base)} AS record, p.published_at AS created_at, ${postColumns}
      FROM posts AS p ${inChannel} JOIN authors AS a ON a.key = p.author_key
      WHERE ${isChosen('p.key')} AND ${isOfWorkspace('p.workspace_key')} AND ${isOpen}`,
    comment: sql<FoundRecord>`SELECT m.key, m.id, ${commentJson(base)} AS record, m.created_at, ${postColumns}
      FROM comments AS m JOIN posts AS p ON p.key = m.post_key ${inChannel} JOIN authors AS a ON a.key = m.author_key
      WHERE ${isChosen('m.key')} AND ${isOfWorkspace('m.workspace_key')} AND m.is_deleted = 0 AND ${isOpen}`,
    message: sql<FoundRecord>`SELECT m.key, m.id, ${messageJson(base)} AS record, m.created_at, t.id AS subject_id,
        NULL AS post_fields, NULL AS channel_fields, t.title AS thread_title
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
