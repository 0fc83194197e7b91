import { type Insertable, type RawBuilder, type SqlBool, sql } from 'kysely'
import { isCleaned } from '../../contract/browser/file-facts'
import type { File } from '../../contract/files'
import { type Links, toAuthor } from '../../domain/links'
import type { Slice } from '../../domain/lists/paging'
import type { Viewer } from '../../domain/permissions'
import { fileHolderNumbers } from '../../domain/references'
import { timestamp } from '../../domain/timestamps'
import { canSeeChannel, type ViewerKeys, viewerKeysOf, viewerParams } from '../access/visibility'
import { prepare, type Reader, type RowOf, type Value, type Writer } from '../engines/db'
import { listRows } from '../lists/list'
import type { Filtered } from '../lists/ranges'
import { storedAuthor } from '../lists/record-json'
import type { Tables } from '../schema'
import type { FileLocation } from './references'

const columns = [
  ...(['f.key', 'f.id', 'f.author_key', 'f.blob_key', 'f.name', 'f.content_type', 'f.size'] as const),
  ...(['f.width', 'f.height', 'f.created_at', 'f.is_shared', 'b.object', 'b.hash'] as const),
  storedAuthor('a').as('uploader'),
] as const

const fileById = prepare((db, param, seesPublic: boolean) =>
  db
    .selectFrom('files as f')
    .innerJoin('blobs as b', 'b.key', 'f.blob_key')
    .innerJoin('authors as a', 'a.key', 'f.author_key')
    .where('f.workspace_key', '=', param<number>('workspace'))
    .where('f.id', '=', param<string>('id'))
    .where(fileIsVisible('f', viewerParams(param, seesPublic)))
    .select(columns),
)

/** A file with its uploader, and where its bytes are. */
export type FileRow = RowOf<typeof fileById>

/** Finds a file that this viewer may see. Every read of a file starts here. */
export async function findFile(db: Reader, viewer: Viewer, id: string): Promise<FileRow | undefined> {
  const { seesPublic, ...keys } = viewerKeysOf(viewer)
  const [file] = await fileById(db, [seesPublic], { ...keys, id })
  return file
}

const listFiles = (db: Reader, list: Filtered, slice: Slice, total?: RawBuilder<number>) =>
  listRows(
    db,
    list,
    slice,
    (keys) =>
      keys
        .innerJoin('files as f', 'f.key', 'k.key')
        .innerJoin('blobs as b', 'b.key', 'f.blob_key')
        .innerJoin('authors as a', 'a.key', 'f.author_key')
        .select(columns),
    total,
  )

/** The files of a channel or a thread, sorted by when they were shared there, and how many. */
export function listFilesOf(db: Reader, viewer: Viewer, place: FileLocation, slice: Slice) {
  const { channel_key, thread_key } = place
  const counter = channel_key
    ? sql<number>`(SELECT files_count FROM channels WHERE key = ${channel_key})`
    : sql<number>`(SELECT files_count FROM threads WHERE key = ${thread_key})`
  const list = {
    ...{ table: 'file_places', key: 'file_key', at: 'shared_at', id: 'file_id', records: 'files' },
    ranges: [{ workspace_key: viewer.workspace.key, ...place }],
  }
  return listFiles(db, list, slice, counter)
}

/** The uploads of the viewer that nothing references. They are few: each is erased after a day. */
export const listUploads = (db: Reader, viewer: Viewer, slice: Slice) =>
  listFiles(
    db,
    {
      ...{ table: 'files', key: 'key', at: 'created_at', id: 'id' },
      ranges: [{ workspace_key: viewer.workspace.key, author_key: viewer.author.key }],
      where: sql<SqlBool>`files.is_shared = 0 AND files.references_count = 0`,
    },
    slice,
  )

export const insertFile = (db: Writer, file: Insertable<Tables['files']>) =>
  db.insertInto('files').values(file).execute()

/** The size of all files of a workspace. */
export const findFilesBytes = async (db: Reader, workspaceKey: number): Promise<number> =>
  (await db.selectFrom('workspaces').where('key', '=', workspaceKey).select('files_bytes').executeTakeFirstOrThrow())
    .files_bytes

/** Adds to the size of all files of a workspace, or subtracts from it. The workspace is locked. */
export const addFilesBytes = (db: Writer, workspaceKey: number, bytes: number) =>
  db
    .updateTable('workspaces')
    .set({ files_bytes: sql`files_bytes + ${bytes}` })
    .where('key', '=', workspaceKey)
    .execute()

/**
 * Who can see a file: everyone who can see a record that references it; and its uploader, until a record references it and as
 * long as a draft of theirs does. A draft does not make files of others visible. The cost depends on the number of channels and
 * threads that list the file, not on the number of records that reference it.
 */
function fileIsVisible(file: string, viewer: Pick<ViewerKeys, 'me' | 'seesPublic'>): RawBuilder<SqlBool> {
  const me = viewer.me as Value
  const key = sql.ref(`${file}.key`)
  return sql<SqlBool>`(
    (${sql.ref(`${file}.is_shared`)} = 0 AND ${sql.ref(`${file}.author_key`)} = ${me})
    OR EXISTS (SELECT 1 FROM file_places AS place JOIN channels AS file_channel ON file_channel.key = place.channel_key
      WHERE place.file_key = ${key} AND ${canSeeChannel('file_channel', viewer)})
    OR EXISTS (SELECT 1 FROM file_places AS place JOIN thread_members AS file_thread
        ON file_thread.thread_key = place.thread_key AND file_thread.author_key = ${me}
      WHERE place.file_key = ${key} AND place.thread_key <> 0)
    OR ${sql.ref(`${file}.author_key`)} = ${me} AND EXISTS (SELECT 1 FROM file_references AS draft WHERE draft.file_key = ${key}
      AND draft.subject_type = ${sql.lit(fileHolderNumbers.draft)} AND draft.owner_key = ${me}))`
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

/** Finds the files that this viewer may see. */
export async function findVisibleFiles(db: Reader, viewer: Viewer, ids: readonly string[]): Promise<VisibleFile[]> {
  if (ids.length === 0) return []
  const { seesPublic, ...keys } = viewerKeysOf(viewer)
  return visibleFiles(db, [seesPublic], { ...keys, ids: JSON.stringify(ids) })
}

export const toFile = (
  links: Links,
  file: Pick<FileRow, 'id' | 'name' | 'content_type' | 'size' | 'width' | 'height' | 'created_at' | 'uploader'>,
): File => ({
  id: file.id,
  name: file.name,
  content_type: file.content_type,
  size: file.size,
  width: file.width,
  height: file.height,
  keeps_metadata: !isCleaned(file.content_type),
  created_at: timestamp(file.created_at),
  url: `${links.base}/files/${file.id}`,
  uploader: toAuthor(links, file.uploader),
})
