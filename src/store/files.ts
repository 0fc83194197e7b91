import { type Insertable, type SqlBool, sql } from 'kysely'
import type { Slice } from '../domain/lists/paging'
import type { Viewer } from '../domain/permissions'
import { prepare, type Reader, type RowOf, type Writer } from './engines/db'
import type { FilePlace } from './files/places'
import { fileIsVisible } from './files/visible'
import { listFiltered } from './filtered'
import { authorCard } from './json'
import { prepareRows } from './pages'
import type { Tables } from './schema'
import { viewerKeysOf, viewerParams } from './visibility'

const columns = [
  ...(['f.key', 'f.id', 'f.author_key', 'f.blob_key', 'f.name', 'f.content_type', 'f.size'] as const),
  ...(['f.width', 'f.height', 'f.created_at', 'f.is_shared', 'b.object', 'b.hash'] as const),
  authorCard('a').as('uploader'),
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

const readFiles = prepareRows<FileRow>((db, keys) =>
  db
    .selectFrom(keys)
    .innerJoin('files as f', 'f.key', 'k.key')
    .innerJoin('blobs as b', 'b.key', 'f.blob_key')
    .innerJoin('authors as a', 'a.key', 'f.author_key')
    .select(columns),
)

/** The files of a channel or a thread, sorted by when they were shared there. */
export const listFilesOf = (db: Reader, viewer: Viewer, place: FilePlace, slice: Slice) =>
  readFiles(
    db,
    {
      ...{ table: 'file_places', key: 'file_key', at: 'shared_at', id: 'file_id', records: 'files' },
      ranges: [{ workspace_key: viewer.workspace.key, ...place }],
    },
    slice,
  )

/** The uploads of the viewer that nothing references. They are few: each is erased after a day. */
export function listUploads(db: Reader, viewer: Viewer, slice: Slice) {
  const matching = db
    .selectFrom('files as f')
    .innerJoin('blobs as b', 'b.key', 'f.blob_key')
    .innerJoin('authors as a', 'a.key', 'f.author_key')
    .where('f.workspace_key', '=', viewer.workspace.key)
    .where('f.author_key', '=', viewer.author.key)
    .where(sql<SqlBool>`f.is_shared = 0`)
    .where(sql<SqlBool>`f.references_count = 0`)
  return listFiltered<FileRow>(matching, matching.select(columns), { at: 'f.created_at', id: 'f.id' }, slice)
}

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
