import Type, { type Static } from 'typebox'
import { Author } from './authors'
import { operation } from './operation'
import { Choice, Id, listQuery, Nullable, OptionalId, Page, Shape, Timestamp } from './page'

export const File = Shape('File', {
  id: Id,
  name: Type.String(),
  content_type: Type.String({ description: 'Found out from the content, whatever the upload said.' }),
  size: Type.Integer({ minimum: 0, description: 'In bytes, as it is stored.' }),
  width: Nullable(Type.Integer(), 'In pixels; null where it has none or they are not known.'),
  height: Nullable(Type.Integer(), 'In pixels; null where it has none or they are not known.'),
  created_at: Timestamp,
  url: Type.String({ description: 'Where a browser that is signed in gets the content.' }),
  uploader: Author,
})
export type File = Static<typeof File>

/** What an event says of a file that was deleted. */
export const DeletedFile = Shape('DeletedFile', { id: Id }, 'A file that is gone.')

export const FileLimits = Shape('FileLimits', {
  max_file_bytes: Type.Integer({ description: 'The largest file that can be uploaded.' }),
  used_bytes: Type.Integer({ description: 'The size of all files of the workspace.' }),
  quota_bytes: Nullable(Type.Integer(), 'How much all files of the workspace may take; null where there is no limit.'),
  has_image_proxy: Type.Boolean({ description: 'Whether images of other servers are loaded through this one.' }),
})
export type FileLimits = Static<typeof FileLimits>

/** The sizes of previews. */
export const previewNames = ['small', 'medium', 'large'] as const

export const files = {
  upload: operation({
    method: 'POST',
    path: '/v2/files',
    summary: 'Upload a file.',
    description:
      'Send the file itself as the body, with its `Content-Type` and its name as `name`; or `multipart/form-data` with one part called `file`. Reference it in a text as `![description](file_…)` or `[name](file_…)`. Until then only you can see it, and after a day without a reference it is deleted. Location data is removed from photos, and from the metadata of videos.',
    access: 'write',
    query: Type.Object({
      name: Type.Optional(
        Type.String({
          maxLength: 1_000,
          anyText: true,
          description: 'The name of the file. Only what follows the last slash is kept, at most 255 bytes.',
        }),
      ),
    }),
    upload: true,
    output: File,
    status: 201,
    errors: ['quota_exceeded', 'invalid_file', 'storage_unavailable'],
  }),
  limits: operation({
    method: 'GET',
    path: '/v2/files/limits',
    summary: 'Get how large files may be, and how much room is left.',
    description: 'Read it before an upload to refuse what is too large.',
    access: 'read',
    output: FileLimits,
    volatile: true,
    errors: [],
  }),
  list: operation({
    method: 'GET',
    path: '/v2/files',
    summary: 'List the files of a channel or a thread, or your own uploads that no record references yet.',
    description: 'Lists the newest first. A file is listed once, however many records reference it.',
    access: 'read',
    query: listQuery(['created_at'], 'desc', {
      channel_id: Type.Optional({ ...OptionalId, description: 'Only files in this channel.' }),
      thread_id: Type.Optional({ ...OptionalId, description: 'Only files in this thread.' }),
    }),
    output: Page(File),
    volatile: true,
    errors: ['not_found', 'invalid_cursor'],
  }),
  get: operation({
    method: 'GET',
    path: '/v2/files/:id',
    summary: 'Get a file: its name, type and size.',
    description: 'You can see it if you can see a record that references it, or if you uploaded it and none does yet.',
    access: 'read',
    params: Type.Object({ id: Id }),
    output: File,
    volatile: true,
    errors: ['not_found'],
  }),
  content: operation({
    method: 'GET',
    path: '/v2/files/:id/content',
    summary: 'Get the content of a file, or a preview of an image.',
    description:
      'Supports `Range` with one range, `If-Range`, `If-None-Match` and HEAD. Previews are WebP images. Images, video and audio of common formats can be shown inline; everything else is sent as an attachment.',
    access: 'read',
    params: Type.Object({ id: Id }),
    query: Type.Object({
      size: Type.Optional(
        Choice(previewNames, {
          description: 'A preview whose longest side has at most 360, 800 or 1600 pixels, instead of the file itself.',
        }),
      ),
      download: Type.Optional(Type.Boolean({ description: 'Send it as an attachment, whatever its type.' })),
    }),
    download: true,
    errors: ['not_found', 'range_not_satisfiable', 'storage_unavailable'],
  }),
  delete: operation({
    method: 'DELETE',
    path: '/v2/files/:id',
    summary: 'Delete a file.',
    description:
      'It is gone for good; records that reference it keep their text. Members can delete their own files, admins any file they can see.',
    access: 'write',
    params: Type.Object({ id: Id }),
    errors: ['not_found'],
  }),
}
