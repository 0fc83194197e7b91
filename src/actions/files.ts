import type { Input } from '../contract'
import { invalidQuery, notFound, Problem } from '../contract/errors'
import { type ReceivedFile, requireRoom } from '../domain/files'
import { canEdit } from '../domain/permissions'
import { findChannel } from '../store/content/channels'
import { findThread } from '../store/content/threads'
import { eraseFiles, keepBlob } from '../store/files/blobs'
import {
  addFilesBytes,
  type FileRow,
  findFile,
  findFilesBytes,
  insertFile,
  listFilesOf,
  listUploads,
  toFile,
} from '../store/files/files'
import { type FileLocation, findFileLocations, UNSHARED_MS } from '../store/files/references'
import type { ReadContext, WriteContext } from './context'
import { listOf } from './list'

/** The deletion of a file is announced in at most this many channels and threads. */
const MAX_ANNOUNCED = 20

async function getFile({ db, viewer }: Pick<ReadContext, 'db' | 'viewer'>, id: string): Promise<FileRow> {
  const file = await findFile(db, viewer, id)
  if (!file) throw notFound('file')
  return file
}

/** The bytes have already been stored; see gate/files/upload.ts. */
export async function upload(context: WriteContext, _: Pick<Input<'files.upload'>, 'name'>) {
  const { db, viewer, links, now, newId, fileLimits } = context
  const received = context.prepared as ReceivedFile
  const { name, contentType: content_type, size, width, height } = received
  const workspace_key = viewer.workspace.key
  requireRoom(fileLimits, await findFilesBytes(db, workspace_key), size)

  const blob_key = await keepBlob(db, workspace_key, received, now)
  const author_key = viewer.author.key
  const file = { id: newId('file'), name, content_type, size, width, height, created_at: now }
  await insertFile(db, { ...file, workspace_key, author_key, blob_key, erase_at: now + UNSHARED_MS })
  await addFilesBytes(db, workspace_key, size)
  context.commitWithoutEvents()
  return toFile(links, { ...file, uploader: viewer.author.stored })
}

export async function limits({ db, viewer, fileLimits }: ReadContext) {
  return {
    max_file_bytes: fileLimits.maxFileBytes,
    used_bytes: await findFilesBytes(db, viewer.workspace.key),
    quota_bytes: fileLimits.quotaBytes,
    has_image_proxy: fileLimits.hasImageProxy,
  }
}

export const list = listOf('files.list', async (context, input, slice) => {
  const { db, viewer, links } = context
  const toRecord = (file: FileRow) => toFile(links, file)
  const location = await findLocation(context, input)
  if (!location) return { ...(await listUploads(db, viewer, slice)), toRecord }
  return { ...(await listFilesOf(db, viewer, location, slice)), toRecord }
})

async function findLocation(
  { db, viewer }: ReadContext,
  { channel_id, thread_id }: Input<'files.list'>,
): Promise<FileLocation | undefined> {
  if (channel_id && thread_id) throw invalidQuery('thread_id', 'Cannot be combined with `channel_id`.')
  if (channel_id) {
    const channel = await findChannel(db, viewer, channel_id)
    if (!channel) throw notFound('channel')
    return { channel_key: channel.key, thread_key: 0 }
  }
  if (!thread_id) return undefined
  const thread = await findThread(db, viewer, thread_id)
  if (!thread) throw notFound('thread')
  return { channel_key: 0, thread_key: thread.key }
}

export async function get(context: ReadContext, { id }: Input<'files.get'>) {
  return toFile(context.links, await getFile(context, id))
}

/** Finds the file whose bytes the gate sends. */
export const content = (context: Pick<ReadContext, 'db' | 'viewer'>, { id }: Pick<Input<'files.content'>, 'id'>) =>
  getFile(context, id)

async function remove(context: WriteContext, { id }: Input<'files.delete'>): Promise<undefined> {
  const { db, viewer, now } = context
  const file = await getFile(context, id)
  if (!canEdit(viewer, file.author_key))
    throw new Problem('forbidden', 'A file can be deleted only by the member who uploaded it, and by admins.')

  const locations = await findFileLocations(db, file.key, MAX_ANNOUNCED)
  await eraseFiles(db, viewer.workspace.key, [file], now)
  for (const location of locations) context.announce('file.deleted', { id }, location)
  if (locations.length === 0) context.commitWithoutEvents()
}

export { remove as delete }
