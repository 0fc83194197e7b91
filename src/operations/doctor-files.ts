import { dirname } from 'node:path'
import { formatSize } from '../contract/browser/file-facts'
import { originalOf } from '../files/previews'
import { openSpace } from '../files/space'
import { compareObjects, type Storage, StorageUnavailable } from '../files/storage'
import { countBlobs, countOverdueObjects, hasBlob, isKnownObject, listBlobs } from '../store/checks/files'
import { type Finding, fail, pass, showSome } from '../store/engines/damage'
import type { Engine, OpenProgress } from '../store/engines/engine'

const DAY_MS = 24 * 60 * 60_000
/** The daily sweep of the server deletes stray objects. Older ones are reported, because it should have deleted them. */
const SWEPT_AFTER_MS = 2 * DAY_MS
const MAX_COLLECTED = 1_000

export interface FilesToCheck {
  storage: Storage
  /** `FILES_URL`, which contains no credentials. */
  location: string
  /** Whether to read and hash every object. */
  isReadingAll: boolean
}

type Blob = Awaited<ReturnType<typeof listBlobs>>['rows'][number]

const RESTORE_ADVICE =
  'If a backup contains it, run `parley restore` into an empty database with the same FILES_URL: it copies missing files back. Otherwise, delete the file in Parley and upload it again.'
const SPACE_ADVICE = 'Free some space. Until then, uploads get 507.'
const SWEEP_ADVICE =
  'A running server deletes such objects within two days. If the server is running, look for errors of the file storage in its log. Other programs must not store anything there.'

/** Checks whether the storage works, and contains exactly the objects that the database names. */
export async function checkFiles(
  engine: Engine,
  files: FilesToCheck,
  now: number,
  openProgress: OpenProgress,
): Promise<Finding[]> {
  const { storage, location } = files
  try {
    await storage.check()
    return [
      ...sharedFolder(engine, files),
      ...(await checkSpace(engine, files)),
      ...(await compare(engine, files, now, openProgress)),
      ...(await checkDeletion(engine, now)),
    ]
  } catch (error) {
    if (!(error instanceof StorageUnavailable)) throw error
    const advice =
      storage.kind === 's3'
        ? 'Check FILES_URL, S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY, and that the bucket exists. Until then, uploads and downloads get 503.'
        : 'Check FILES_URL, that the user who runs the server can write to the folder, and that the disk is not full.'
    return [fail('files', `${location} cannot be used: ${error.message}`, advice)]
  }
}

/** This is not reported as a problem: there may be only one node, or the folder may be on a network drive. */
const sharedFolder = (engine: Engine, { storage, location }: FilesToCheck): Finding[] =>
  engine.kind === 'postgres' && storage.kind === 'folder'
    ? [pass('file storage', `${location}; if you run several nodes, all of them must share this folder, or use S3`)]
    : [pass('file storage', `${location} can be written`)]

/** Whether uploads are accepted: they leave a part of the disk free for the database. */
async function checkSpace({ kind, location }: Engine, { storage }: FilesToCheck): Promise<Finding[]> {
  const folders = { files: storage.stagingFolder, ...(kind === 'sqlite' && { database: dirname(location) }) }
  return (await openSpace(folders).report()).map(({ of, freeBytes, reserveBytes }) => {
    const [free, reserve] = [freeBytes, reserveBytes].map((bytes) => formatSize(bytes))
    const disk = of === 'files' ? 'the disk of uploaded files' : 'the disk of the database'
    return freeBytes > reserveBytes
      ? pass('disk space', `${free} free on ${disk}; uploads leave ${reserve} of it free`)
      : fail('disk space', `${free} free on ${disk}, less than the ${reserve} that uploads leave free`, SPACE_ADVICE)
  })
}

async function* allBlobs(engine: Engine): AsyncGenerator<Blob> {
  for (let after: string | undefined = ''; after !== undefined; ) {
    const from: string = after
    const { rows, next } = await engine.read((db) => listBlobs(db, from))
    yield* rows
    after = next
  }
}

async function compare(engine: Engine, files: FilesToCheck, now: number, openProgress: OpenProgress) {
  const faults: string[] = []
  const strayObjects: string[] = []
  const progress = openProgress('files compared with the storage', await engine.read(countBlobs))
  let count = 0
  try {
    for await (const compared of compareObjects(allBlobs(engine), files.storage)) {
      if ('expected' in compared) {
        progress.report(++count)
        const fault = await findFault(engine, files, compared.expected, compared.found)
        if (fault && faults.length < MAX_COLLECTED) faults.push(fault)
      } else if (strayObjects.length < MAX_COLLECTED && compared.stray.modifiedAt < now - SWEPT_AFTER_MS) {
        const { object } = compared.stray
        if (!(await engine.read((db) => isKnownObject(db, originalOf(object)))))
          strayObjects.push(`no file or picture uses the object ${object}`)
      }
    }
  } finally {
    progress.end()
  }
  if (faults.length + strayObjects.length > 0)
    return [...showSome('files', faults, RESTORE_ADVICE), ...showSome('files', strayObjects, SWEEP_ADVICE)]
  return [pass('files', `${count} stored, ${files.isReadingAll ? 'all read and undamaged' : 'none missing'}`)]
}

async function findFault(
  engine: Engine,
  { storage, isReadingAll }: FilesToCheck,
  blob: Blob,
  found: number | undefined,
): Promise<string | undefined> {
  const named = `${blob.object}${blob.used_by ? ` of ${blob.used_by}` : ''}`
  // The object may have been stored after the list was read, or deleted after the row was read.
  const size = found ?? (await storage.findSize(blob.object))
  const isGone = size !== blob.size && !(await engine.read((db) => hasBlob(db, blob.object)))
  if (isGone) return undefined
  if (size === undefined) return `the object ${named} is missing`
  if (size !== blob.size) return `the object ${named} has ${size} bytes, but should have ${blob.size}`
  if (!isReadingAll || (await hashOf(storage, blob.object)) === blob.hash) return undefined
  return (await engine.read((db) => hasBlob(db, blob.object))) ? `the object ${named} is damaged` : undefined
}

async function hashOf(storage: Storage, object: string): Promise<string | undefined> {
  const hash = new Bun.CryptoHasher('sha256')
  const found = await storage.read(object)
  if (!found) return undefined
  for await (const bytes of found.stream()) hash.update(bytes)
  return hash.digest('hex')
}

async function checkDeletion(engine: Engine, now: number): Promise<Finding[]> {
  const overdue = await engine.read((db) => countOverdueObjects(db, now - DAY_MS))
  return overdue === 0 ? [] : [fail('files', `objects that should already have been deleted: ${overdue}`, SWEEP_ADVICE)]
}
