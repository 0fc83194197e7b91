import { Problem } from '../../contract/errors'
import type { Operation } from '../../contract/operation'
import type { StoredBytes } from '../../domain/files/received'
import type { Viewer } from '../../domain/permissions'
import { type Inspected, InvalidImage, inspect, MAX_PIXELS } from '../../files/inspect'
import { PreviewFailed } from '../../files/previews'
import { discard, writeStaged } from '../../files/staging'
import { findEmojiObject } from '../../store/emoji'
import { findPicture } from '../../store/pictures'
import type { Parley } from '../parley'
import { cropPicture, WORK_SIZE } from './crop'
import type { ArrivedFile } from './incoming'
import { explainStorage } from './problems'
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
