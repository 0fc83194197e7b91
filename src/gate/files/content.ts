import { findSessionViewer } from '../../accounts/sessions'
import { content } from '../../actions/files'
import { Problem } from '../../contract/errors'
import type { PreviewSize } from '../../contract/files'
import { type ByteRange, contentHeaders, parseRange } from '../../domain/files'
import type { Viewer } from '../../domain/permissions'
import { hasPreviews } from '../../files/inspect'
import { PreviewFailed, previewOf } from '../../files/previews'
import { StorageUnavailable, type StoredObject } from '../../files/storage'
import type { Reader } from '../../store/engines/db'
import type { FileRow } from '../../store/files/files'
import type { Answer, Call, ContentRequest } from '../answer'
import type { Bearer } from '../bearers'
import { validInput } from '../input'
import type { Parley } from '../parley'
import { explainStorage } from './files'

interface Found {
  file: FileRow
  viewer: Viewer
}

/** Looks a file up. Throws if its viewer cannot see it at this moment. */
type Find = () => Promise<Found>

/** Answers with the content of a file. The bytes are read while they are sent. */
async function answerContent(parley: Parley, find: Find, request: ContentRequest): Promise<Answer> {
  const found = await find()
  const { file } = found
  const { size } = request
  const etag = `"${file.hash.slice(0, 32)}${size ? `-${size}` : ''}"`
  const contentType = size ? 'image/webp' : file.content_type
  const name = size ? `${file.name.replace(/\.[^.]+$/, '')}.webp` : file.name
  const headers: Record<string, string> = {
    ETag: etag,
    ...contentHeaders(name, contentType, request.isDownload ?? false),
  }
  if (matches(request.ifNoneMatch, etag)) return { status: 304, body: null, contentType, headers }

  const open = async () => {
    const whole = size ? ((await readPreview(parley, found, size)) ?? (await failMissing(file, find))) : undefined
    const total = whole?.size ?? file.size
    const range = request.ifRange && request.ifRange !== etag ? undefined : parseRange(request.range, total)
    if (request.isHead || range !== undefined) whole?.cancel()
    if (range === null) throw notSatisfiable(total)
    if (range) headers['Content-Range'] = `bytes ${range.start}-${range.end - 1}/${total}`
    headers['Content-Length'] = String(range ? range.end - range.start : total)
    const status = range ? 206 : 200
    if (request.isHead) return { status, body: null, contentType, headers }
    const body = (await openBody(parley, file, request, whole, range)) ?? (await failMissing(file, find))
    return { status, body, contentType, headers }
  }
  return explainStorage(parley.log, () => (request.releaseWhile ? request.releaseWhile(open) : open()))
}

async function openBody(
  { files }: Parley,
  file: FileRow,
  request: ContentRequest,
  whole: StoredObject | undefined,
  range: ByteRange | undefined,
): Promise<ReadableStream<Uint8Array> | Blob | undefined> {
  const { size } = request
  const object = size ? previewOf(file.object, size) : file.object
  const found = (!range && whole) || (await files.storage.read(object, range))
  if (!found) return undefined
  // Bun sends a file without copying it, and sets its length. But it applies the `Range` header of the request by itself, even
  // if the response must be the whole file.
  const isAsAsked = range !== undefined || request.range === undefined
  if (!found.path || !isAsAsked) return found.stream()
  return Bun.file(found.path).slice(range?.start ?? 0, range?.end ?? found.size)
}

async function readPreview(
  { files }: Parley,
  { file, viewer }: Found,
  size: PreviewSize,
): Promise<StoredObject | undefined> {
  if (!hasPreviews(file.content_type)) throw noPreview(file)
  try {
    return await files.previews.read(file.object, size, viewer.author.key)
  } catch (error) {
    throw error instanceof PreviewFailed ? noPreview(file) : error
  }
}

/** A file whose object is missing was erased since it was looked up, or was not restored. */
async function failMissing({ id, object }: FileRow, find: Find): Promise<never> {
  await find()
  throw new StorageUnavailable(`The object ${object} of ${id} is missing.`)
}

const noPreview = ({ content_type }: FileRow) =>
  new Problem('not_found', `This file has no preview (${content_type}). Get the file itself.`)

const notSatisfiable = (size: number) =>
  new Problem('range_not_satisfiable', `The file has ${size} bytes.`, undefined, {
    'Content-Range': `bytes */${size}`,
  })

const matches = (ifNoneMatch: string | undefined, etag: string): boolean =>
  ifNoneMatch !== undefined &&
  (ifNoneMatch.trim() === '*' ||
    ifNoneMatch.split(',').some((candidate) => candidate.trim().replace(/^W\//, '') === etag))

/** Answers an operation with the content of a file. */
export async function download(parley: Parley, request: Call, { viewer }: Bearer): Promise<Answer> {
  const raw = { params: request.params, query: request.query, body: undefined }
  const input = validInput(request.name, raw) as { id: string; size?: PreviewSize; download?: boolean }
  return downloadFile(parley, async () => viewer, input.id, {
    ...request.content,
    size: input.size,
    isDownload: input.download,
    ifNoneMatch: request.ifNoneMatch,
  })
}

/** Answers with the content of a file that the viewer can see. */
function downloadFile(
  parley: Parley,
  findViewer: (db: Reader) => Promise<Viewer>,
  id: string,
  request: ContentRequest,
): Promise<Answer> {
  const find = () =>
    parley.engine.read(async (db) => {
      const viewer = await findViewer(db)
      return { viewer, file: await content({ db, viewer }, { id }) }
    })
  return answerContent(parley, find, request)
}

/** The same for a browser, which is asked for its session each time the file is looked up. */
export const downloadForSession = (
  parley: Parley,
  secret: string | undefined,
  id: string,
  request: ContentRequest,
): Promise<Answer> => downloadFile(parley, (db) => findSessionViewer(db, secret, parley.clock()), id, request)
