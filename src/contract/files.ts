import Type, { type Static } from 'typebox'
import { operation } from './operation'
import { Author, Choice, Id, listQuery, Nullable, OptionalId, Page, Shape, Timestamp } from './shapes'

export const File = Shape('File', {
  id: Id,
  name: Type.String(),
  content_type: Type.String({ description: 'The type that was detected from the content.' }),
  size: Type.Integer({
    minimum: 0,
    description:
      'The size of the stored file in bytes. It can be smaller than the upload, because metadata is removed.',
  }),
  width: Nullable(Type.Integer(), 'In pixels; null if the file is not an image or a video, or if it is not known.'),
  height: Nullable(Type.Integer(), 'In pixels; null if the file is not an image or a video, or if it is not known.'),
  keeps_metadata: Type.Boolean({
    description:
      'Whether the file is stored with its metadata. In photos and videos, it can include the place where they were taken. It is removed from JPEG, PNG, WebP, GIF, HEIC, AVIF, MP4, QuickTime and WebM files, but not from others, such as TIFF and raw photos.',
  }),
  created_at: Timestamp,
  url: Type.String({ description: 'The URL of the content for browsers in which a member is signed in.' }),
  uploader: Author,
})
export type File = Static<typeof File>

/** What an event says about a file that was deleted. */
export const DeletedFile = Shape('DeletedFile', { id: Id }, 'A file that was deleted.')

export const FileLimits = Shape('FileLimits', {
  max_file_bytes: Type.Integer({ description: 'The largest size of an uploaded file.' }),
  used_bytes: Type.Integer({ description: 'The size of all files of the workspace together.' }),
  quota_bytes: Nullable(
    Type.Integer(),
    'The largest size of all files of the workspace together; null if there is no limit.',
  ),
  has_image_proxy: Type.Boolean({
    description: 'Whether the web app loads images from other servers through this one.',
  }),
})
export type FileLimits = Static<typeof FileLimits>

/** The sizes of previews. */
export const previewNames = ['small', 'medium', 'large'] as const
export type PreviewSize = (typeof previewNames)[number]

export const files = {
  upload: operation({
    method: 'POST',
    path: '/v2/files',
    summary: 'Upload a file.',
    description:
      'Send the file as the request body, with its `Content-Type`, and its name as `name`. You can also send `multipart/form-data` with one part called `file`. Reference the file in a text as `![description](file_…)` or `[name](file_…)`. Until then, only you can see it. If nothing references it for a day, it is deleted. Metadata, such as the place where they were taken, is removed from photos and videos in common formats; `keeps_metadata` says whether it was kept.',
    access: 'write',
    query: Type.Object({
      name: Type.Optional(
        Type.String({
          maxLength: 1_000,
          anyText: true,
          description: 'The name of the file. Only the part after the last slash is kept, at most 255 bytes.',
        }),
      ),
    }),
    upload: true,
    output: File,
    status: 201,
    errors: ['quota_exceeded', 'invalid_file', 'storage_unavailable', 'storage_full'],
  }),
  limits: operation({
    method: 'GET',
    path: '/v2/files/limits',
    depends: 'nothing',
    summary: 'Get how large files may be, and how much space is used.',
    description: 'Use it to check whether a file is too large before you upload it.',
    access: 'read',
    output: FileLimits,
    errors: [],
  }),
  list: operation({
    method: 'GET',
    path: '/v2/files',
    depends: 'nothing',
    summary: 'List the files of a channel or a thread, or your own uploads that nothing references yet.',
    description: 'Lists the newest first. A file that several posts, comments or messages reference is listed once.',
    access: 'read',
    query: listQuery(['created_at'], 'desc', {
      channel_id: Type.Optional({ ...OptionalId, description: 'Only files in this channel.' }),
      thread_id: Type.Optional({ ...OptionalId, description: 'Only files in this thread.' }),
    }),
    output: Page(File),
    errors: ['not_found', 'invalid_cursor'],
  }),
  get: operation({
    method: 'GET',
    path: '/v2/files/:id',
    depends: 'nothing',
    summary: 'Get a file: its name, type and size.',
    description:
      'You can see a file if you can see a post, comment or message that references it. You can also see your own uploads until one of these references them, and as long as your own draft does.',
    access: 'read',
    params: Type.Object({ id: Id }),
    output: File,
    errors: ['not_found'],
  }),
  content: operation({
    method: 'GET',
    path: '/v2/files/:id/content',
    depends: 'caller',
    summary: 'Get the content of a file, or a preview of an image.',
    description:
      'Supports `Range` with one range, `If-Range`, `If-None-Match` and HEAD. Previews are WebP images. Images, videos and audio in common formats are sent inline, everything else as an attachment.',
    access: 'read',
    params: Type.Object({ id: Id }),
    query: Type.Object({
      size: Type.Optional(
        Choice(previewNames, {
          description:
            'Get a preview instead of the file itself: its longer side has at most 360, 800 or 1,600 pixels.',
        }),
      ),
      download: Type.Optional(Type.Boolean({ description: 'Send it as an attachment, whatever its type.' })),
    }),
    download: true,
    errors: ['not_found', 'range_not_satisfiable', 'storage_unavailable', 'storage_full'],
  }),
  delete: operation({
    method: 'DELETE',
    path: '/v2/files/:id',
    summary: 'Delete a file.',
    description:
      'The file cannot be restored. Texts that reference it do not change. Members can delete their own files, admins any file that they can see.',
    access: 'write',
    params: Type.Object({ id: Id }),
    errors: ['not_found'],
  }),
}
