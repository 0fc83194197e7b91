import { randomUUID } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { type PreviewSize, previewNames } from '../../contract/files'
import { openFairQueue } from '../../domain/fair-queue'
import { removeQuietly } from '../disk'
import { MAX_PIXELS } from '../inspect'
import { type Hold, type Space, unlimited } from '../space'
import { discard, writeStaged } from '../staging'
import { type Storage, StorageSilent, StorageUnavailable, type StoredObject } from '../storage'
import { openWorker, PreviewFailed, type PreviewWorker } from './worker'

export { PreviewFailed }

/** The longest side of a preview, in pixels. */
const previewSizes: Record<PreviewSize, number> = { small: 360, medium: 800, large: 1600 }

const QUALITY = 80
/** The quality of an image that will be encoded once more. */
const SCALED_QUALITY = 95
const MAX_FAILURES = 1_000
/** No preview, and no scaled image, is larger. */
const MAX_OUTPUT_BYTES = 8 * 1024 * 1024

/** The name of a preview of an object. */
export const previewOf = (object: string, size: PreviewSize) => `${object}.${size}.webp`

/** The names of all previews that an object can have. They are deleted with it. */
export const previewsOf = (object: string): string[] => previewNames.map((size) => previewOf(object, size))

/** The object that a preview was made of. For any other object, the object itself. */
export const originalOf = (object: string): string => object.replace(PREVIEW_ENDING, '')
const PREVIEW_ENDING = new RegExp(`\\.(?:${previewNames.join('|')})\\.webp$`)

interface PreviewOptions {
  /** How many previews are made at once. */
  workers?: number
  maxWaiting?: number
  timeoutMs?: number
  /** How long an idle process is kept. */
  idleMs?: number
  space?: Space
}

export type Previews = ReturnType<typeof openPreviews>

/** Previews are WebP images. They are made when they are first requested, and stored next to the original. */
export function openPreviews(storage: Storage, options: PreviewOptions = {}) {
  const { maxWaiting = 64, timeoutMs = 30_000, idleMs = 10_000 } = options
  const count = options.workers ?? (availableParallelism() > 2 ? 2 : 1)
  const workers = Array.from({ length: count }, () => openWorker(storage.stagingFolder, { timeoutMs, idleMs }))
  const withSpace: WithSpace = (bytes, work) => (options.space ? options.space.hold(bytes, work) : work(unlimited))
  const enqueue = openFairQueue(workers, maxWaiting, tooManyPreviews)
  const inProgress = new Map<string, Promise<boolean>>()
  /** Images that cannot be decoded. They are not tried again with every request. All other failures may pass, and are not remembered. */
  const failures = new Map<string, PreviewFailed>()
  /** When the storage did not answer, and what was thrown. */
  let silence: { at: number; error: StorageSilent } | undefined

  /**
   * The preview, or undefined if there is no such object. Throws `PreviewFailed` or `StorageUnavailable`. `viewer` is the
   * caller's author key.
   */
  async function read(object: string, size: PreviewSize, viewer?: number): Promise<StoredObject | undefined> {
    const name = previewOf(object, size)
    const stored = await storage.read(name)
    if (stored) return stored
    const failure = failures.get(object)
    if (failure) throw failure
    return (await makeOnce(object, size, viewer)) ? storage.read(name) : undefined
  }

  /** Each viewer waits in a queue of their own, even if others want the same preview. */
  function makeOnce(object: string, size: PreviewSize, viewer?: number): Promise<boolean> {
    const key = `${viewer} ${previewOf(object, size)}`
    const current = inProgress.get(key)
    if (current) return current
    const made = make(object, size, viewer).finally(() => inProgress.delete(key))
    inProgress.set(key, made)
    return made
  }

  const make = (object: string, size: PreviewSize, viewer?: number): Promise<boolean> => {
    const askedAt = performance.now()
    return enqueue(async (worker) => {
      // Tasks in the queue would wait one after the other for a storage that hangs.
      if (silence && silence.at > askedAt) throw silence.error
      return makeWith(worker, object, size)
    }, viewer)
  }

  async function makeWith(worker: PreviewWorker, object: string, size: PreviewSize): Promise<boolean> {
    try {
      // It may have been made for someone else meanwhile.
      if ((await storage.findSize(previewOf(object, size))) !== undefined) return true
      const input = await fetchOriginal(storage, object, withSpace)
      if (!input) return false
      const output = join(storage.stagingFolder, randomUUID())
      const pixels = previewSizes[size]
      try {
        const name = previewOf(object, size)
        const task = { input: input.path, output, pixels, maxPixels: MAX_PIXELS, quality: QUALITY }
        const bytes = await withSpace(MAX_OUTPUT_BYTES, () => worker.run(task))
        await storage.put(name, { path: output, size: bytes, hash: '' })
        if ((await storage.findSize(object)) !== undefined) return true
        // The file was erased in the meantime, and its previews with it.
        await storage.delete(name)
        return false
      } finally {
        await Promise.all([removeQuietly(output), input.release()])
      }
    } catch (error) {
      if (error instanceof PreviewFailed) remember(object, error)
      if (error instanceof StorageSilent) silence = { at: performance.now(), error }
      throw error
    }
  }

  /** Scales an image on this machine down to WebP, in the process that makes previews. */
  const scale = (input: string, pixels: number, viewer?: number): Promise<Uint8Array> =>
    enqueue(async (worker) => {
      const output = join(storage.stagingFolder, randomUUID())
      try {
        const task = { input, output, pixels, maxPixels: MAX_PIXELS, quality: SCALED_QUALITY }
        await withSpace(MAX_OUTPUT_BYTES, () => worker.run(task))
        return await Bun.file(output).bytes()
      } finally {
        await removeQuietly(output)
      }
    }, viewer)

  function remember(object: string, failure: PreviewFailed): void {
    if (failures.size >= MAX_FAILURES) failures.delete(failures.keys().next().value!)
    failures.set(object, failure)
  }

  return { read, scale, close: () => Promise.all(workers.map((worker) => worker.stop())) }
}

/** Sets space aside for what is written meanwhile. */
type WithSpace = <T>(bytes: number, work: (hold: Hold) => Promise<T>) => Promise<T>

const tooManyPreviews = () => new StorageUnavailable('Too many previews are being made at the moment.')

/** Makes the original available as a file on this machine. */
async function fetchOriginal(storage: Storage, object: string, withSpace: WithSpace) {
  const found = await storage.read(object)
  if (!found) return undefined
  if (found.path !== undefined) return { path: found.path, release: async () => {} }
  const stream = found.stream()
  const fill = async (write: (bytes: Uint8Array) => Promise<void>) => {
    for await (const chunk of stream) await write(chunk)
  }
  const copying = withSpace(found.size, (hold) => writeStaged(storage.stagingFolder, fill, hold))
  const copy = await copying.catch(async (error) => {
    await stream.cancel().catch(() => {})
    throw error
  })
  return { path: copy.path, release: () => discard(copy) }
}
