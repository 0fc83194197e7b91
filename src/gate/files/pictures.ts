import { promisify } from 'node:util'
import { crc32, deflate, inflate } from 'node:zlib'
import { Problem } from '../../contract/errors'
import type { Operation } from '../../contract/operation'
import { openQueue } from '../../domain/fair-queue'
import type { StoredBytes } from '../../domain/files'
import type { Viewer } from '../../domain/permissions'
import { type Inspected, InvalidImage, inspect, MAX_PIXELS } from '../../files/inspect'
import { PreviewFailed } from '../../files/previews'
import { discard, stage, writeStaged } from '../../files/staging'
import type { StagedFile } from '../../files/storage'
import { findEmojiObject } from '../../store/content/emoji'
import { findPicture, hasPicture } from '../../store/people/pictures'
import type { Call } from '../answer'
import type { Parley } from '../parley'
import { explainStorage } from './files'
import { store } from './store'

/** Larger pictures are decoded in a separate process, as for previews, because they take too much memory. */
const MAX_PIXELS_HERE = 4_000_000

/**
 * Stores the picture of a member, a webhook, a workspace or a custom emoji: it is cropped to a square and stored like a file.
 * The action inserts the rows.
 */
export async function storePicture(
  parley: Parley,
  viewer: Viewer,
  { types, pixels }: NonNullable<Operation['picture']>,
  { staged, type }: ArrivedFile,
): Promise<StoredBytes> {
  const { space, storage } = parley.files
  const square = await explainImage(async () => {
    const inspected = await inspect(staged, { name: '', declaredType: type }, space)
    try {
      if (!types.includes(inspected.contentType))
        throw unreadable(staged.size === 0 ? 'The picture is empty.' : SUPPORTED)
      return await crop(parley, viewer, inspected, pixels)
    } finally {
      await discard(inspected.staged)
    }
  })
  const stagedSquare = await space.hold(square.length, (hold) =>
    writeStaged(storage.stagingFolder, (write) => write(square), hold),
  )
  return store(parley, viewer.workspace.id, stagedSquare)
}

async function crop(
  { files }: Parley,
  { author }: Viewer,
  { width, height, staged }: Inspected,
  size: number,
): Promise<Uint8Array> {
  const isLarge = (width ?? 0) * (height ?? 0) > MAX_PIXELS_HERE
  const source = isLarge ? await files.previews.scale(staged.path, WORK_SIZE, author.key) : staged.path
  return cropPicture(source, size, MAX_PIXELS, author.key)
}

const SUPPORTED = 'The picture must be a valid PNG, JPEG, WebP or GIF file.'
const unreadable = (message: string) => new Problem('invalid_input', message, [{ in: 'body', name: '', message }])

async function explainImage<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof InvalidImage) throw unreadable(error.message)
    const isBroken = error instanceof PreviewFailed || (error as { code?: string }).code?.startsWith('ERR_IMAGE_')
    throw isBroken ? unreadable(SUPPORTED) : error
  }
}

/** Whether there is such a picture or icon now. */
export const isPictureStored = ({ engine }: Parley, name: string): Promise<boolean> =>
  engine.read((db) => hasPicture(db, name))

/** The square of a picture or icon, or undefined if there is none. */
export async function readPicture(parley: Parley, name: string): Promise<Uint8Array | undefined> {
  const picture = await parley.engine.read((db) => findPicture(db, name))
  if (!picture) return undefined
  return picture.image ?? readObject(parley, picture.object!)
}

/** The picture of a custom emoji, or undefined if there is none. */
export async function readEmoji(parley: Parley, picture: string): Promise<Uint8Array | undefined> {
  const object = await parley.engine.read((db) => findEmojiObject(db, picture))
  return object === undefined ? undefined : readObject(parley, object)
}

const readObject = ({ files, log }: Parley, object: string): Promise<Uint8Array | undefined> =>
  explainStorage(log, async () => {
    const found = await files.storage.read(object)
    return found && new Response(found.stream()).bytes()
  })

/** Larger pictures are scaled down to this before they are cropped. */
const WORK_SIZE = 2_048

/** One at a time: each takes tens of megabytes. */
const enqueue = openQueue(1, 16)

/**
 * Crops a picture to the square in its middle, as WebP without metadata. `source` is its path, or its bytes; `viewer` the
 * author key of the uploader.
 */
const cropPicture = (
  source: string | Uint8Array,
  size: number,
  maxPixels: number,
  viewer: number,
): Promise<Uint8Array> =>
  enqueue(async () => {
    const plain = await new Bun.Image(source, { maxPixels })
      .resize(WORK_SIZE, WORK_SIZE, { fit: 'inside', withoutEnlargement: true })
      .png({ compressionLevel: 0 })
      .buffer()
    return new Bun.Image(await cropToSquare(plain)).resize(size, size).webp({ quality: 86 }).bytes()
  }, viewer)

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
const BYTES_PER_PIXEL = 4

/** Crops a PNG as `Bun.Image` writes it (8-bit RGBA, unfiltered) to the square in its center. */
async function cropToSquare(png: Buffer): Promise<Buffer> {
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)]
  const rows = await promisify(inflate)(Buffer.concat([...chunks(png, 'IDAT')]))
  const size = Math.min(width, height)
  const [left, top] = [(width - size) >> 1, (height - size) >> 1]
  const [from, to] = [1 + width * BYTES_PER_PIXEL, 1 + size * BYTES_PER_PIXEL]
  const cut = Buffer.alloc(to * size)
  for (let y = 0; y < size; y++) {
    const start = (top + y) * from
    if (rows[start] !== 0) throw new Error('A row of the picture is filtered.')
    rows.copy(cut, y * to + 1, start + 1 + left * BYTES_PER_PIXEL, start + 1 + (left + size) * BYTES_PER_PIXEL)
  }
  const header = Buffer.from(png.subarray(16, 16 + 13))
  header.writeUInt32BE(size, 0)
  header.writeUInt32BE(size, 4)
  const pixels = await promisify(deflate)(cut, { level: 0 } as never)
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('IDAT', pixels as Buffer),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function* chunks(png: Buffer, wanted: string) {
  for (let at = SIGNATURE.length; at + 12 <= png.length; ) {
    const length = png.readUInt32BE(at)
    if (png.toString('latin1', at + 4, at + 8) === wanted) yield png.subarray(at + 8, at + 8 + length)
    at += 12 + length
  }
}

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const head = Buffer.alloc(4)
  head.writeUInt32BE(data.length)
  const tail = Buffer.alloc(4)
  tail.writeUInt32BE(crc32(named))
  return Buffer.concat([head, named, tail])
}

/** A file that is being received. */
export interface IncomingFile {
  name: string | undefined
  type: string | undefined
  stream: ReadableStream<Uint8Array>
}

/** A file that was received. */
export interface ArrivedFile extends Pick<IncomingFile, 'name' | 'type'> {
  staged: StagedFile
}

/** How many bytes a form may have besides the file. */
export const MAX_FORM_BYTES = 64 * 1024

/**
 * Receives the file that a request brings. Before its first byte is read, the space for it is set aside: as much as the request
 * states, or as the largest file needs.
 */
export function receive({ files }: Parley, { readBody, bodyBytes }: Call): Promise<ArrivedFile> {
  const { storage, limits, countBytes, space } = files
  const maxBytes = limits.maxFileBytes
  return space.hold(Math.min(bodyBytes ?? maxBytes, maxBytes), async (hold) => {
    const { name, type, stream } = (await readBody()) as IncomingFile
    const staged = await stage(stream, { maxBytes, folder: storage.stagingFolder, hold })
    countBytes('', staged.size)
    return { name, type, staged }
  })
}
