import { Problem } from '../../contract/errors'
import { type Operation, successStatus } from '../../contract/operation'
import type { StoredBytes } from '../../domain/files/received'
import { type Inspected, InvalidImage, inspect, MAX_PIXELS } from '../../files/inspect'
import { PreviewFailed } from '../../files/previews'
import { discard, stage, writeStaged } from '../../files/staging'
import { findEmojiObject } from '../../store/emoji'
import { findPicture } from '../../store/pictures'
import { type Answer, type Call, JSON_TYPE } from '../answer'
import type { Bearer } from '../bearers'
import { checkAnswer } from '../check'
import { validInput } from '../input'
import type { Parley } from '../parley'
import { write } from '../write'
import { cropPicture, WORK_SIZE } from './crop'
import { explainStorage, fileTooLarge } from './problems'
import { store, storeOrDrop } from './store'
import type { IncomingFile } from './upload'

/** Larger pictures are decoded in a separate process, as for previews, because they take too much memory. */
const MAX_PIXELS_HERE = 4_000_000

/**
 * Receives the picture of a member, a webhook, a workspace or a custom emoji. It is cropped to a square and stored like a file;
 * the action inserts the rows. Pictures are small and few, so they do not count towards the quota.
 */
export async function uploadPicture(
  parley: Parley,
  request: Call,
  operation: Operation,
  bearer: Bearer,
): Promise<Answer> {
  const { limits, slots } = parley.files
  const input = validInput(request.name, { params: request.params, query: request.query, body: undefined })
  if ((request.bodyBytes ?? 0) > limits.maxFileBytes) throw fileTooLarge(limits.maxFileBytes)
  const release = slots.take(bearer.row.token_key)
  try {
    const stored = await explainStorage(parley.log, () => receive(parley, request, operation, bearer))
    const { output } = await storeOrDrop(parley, stored, () =>
      write(parley, request.name, bearer, input, { via: request.via, prepared: stored }),
    )
    if (parley.checkAnswers) checkAnswer(request.name, output)
    const body = operation.output ? JSON.stringify(output) : null
    return { status: successStatus(operation), body, contentType: JSON_TYPE, headers: {} }
  } finally {
    release()
  }
}

async function receive(parley: Parley, request: Call, { picture }: Operation, { viewer }: Bearer): Promise<StoredBytes> {
  const { storage, limits, countBytes } = parley.files
  const folder = storage.stagingFolder
  const { stream, type } = (await request.readBody()) as IncomingFile
  const staged = await stage(stream, { maxBytes: limits.maxFileBytes, folder })
  countBytes('', staged.size)
  const square = await explainImage(async () => {
    const inspected = await inspect(staged, { name: '', declaredType: type })
    try {
      if (!picture!.types.includes(inspected.contentType))
        throw unreadable(staged.size === 0 ? 'The picture is empty.' : SUPPORTED)
      return await crop(parley, inspected, picture!.pixels)
    } finally {
      await discard(inspected.staged)
    }
  })
  return store(parley, viewer.workspace.id, await writeStaged(folder, (write) => write(square)))
}

async function crop({ files }: Parley, { width, height, staged }: Inspected, size: number): Promise<Uint8Array> {
  const isLarge = (width ?? 0) * (height ?? 0) > MAX_PIXELS_HERE
  const source = isLarge ? await files.previews.scale(staged.path, WORK_SIZE) : staged.path
  return cropPicture(source, size, MAX_PIXELS)
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
