import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Viewer } from '../../domain/permissions'
import { prepare, type Reader, type RowOf, type Value } from '../engines/db'
import { channelIsOpen, type ViewerKeys, viewerKeysOf, viewerParams } from '../visibility'
import { fileSubjects } from './subjects'

/**
 * Who can see a file: everyone who can see a record that references it; and its uploader, until a record references it and as
 * long as a draft of theirs does. A draft does not make files of others visible. The cost depends on the number of channels and
 * threads that list the file, not on the number of records that reference it.
 */
export function fileIsVisible(file: string, viewer: Pick<ViewerKeys, 'me' | 'seesPublic'>): RawBuilder<SqlBool> {
  const me = viewer.me as Value
  const key = sql.ref(`${file}.key`)
  return sql<SqlBool>`(
    (${sql.ref(`${file}.is_shared`)} = 0 AND ${sql.ref(`${file}.author_key`)} = ${me})
    OR EXISTS (SELECT 1 FROM file_places AS place JOIN channels AS file_channel ON file_channel.key = place.channel_key
      WHERE place.file_key = ${key} AND ${channelIsOpen('file_channel', viewer)})
    OR EXISTS (SELECT 1 FROM file_places AS place JOIN thread_members AS file_thread
        ON file_thread.thread_key = place.thread_key AND file_thread.author_key = ${me}
      WHERE place.file_key = ${key} AND place.thread_key <> 0)
    OR ${sql.ref(`${file}.author_key`)} = ${me} AND EXISTS (SELECT 1 FROM file_references AS draft WHERE draft.file_key = ${key}
      AND draft.subject_type = ${sql.lit(fileSubjects.draft)} AND draft.owner_key = ${me}))`
}

const visibleFiles = prepare((db, param, seesPublic: boolean) => {
  const viewer = viewerParams(param, seesPublic)
  return db
    .selectFrom('files')
    .where(db.syntax.hasIdInJson('files', viewer.workspace, param<string>('ids')))
    .where(fileIsVisible('files', viewer))
    .select([
      'files.key',
      'files.id',
      'files.author_key',
      'files.name',
      'files.content_type',
      'files.size',
      'files.width',
      'files.height',
    ])
})

export type VisibleFile = RowOf<typeof visibleFiles>

/** Finds those of the files that this viewer may see. */
export async function findVisibleFiles(db: Reader, viewer: Viewer, ids: readonly string[]): Promise<VisibleFile[]> {
  if (ids.length === 0) return []
  const { seesPublic, ...keys } = viewerKeysOf(viewer)
  return visibleFiles(db, [seesPublic], { ...keys, ids: JSON.stringify(ids) })
}
