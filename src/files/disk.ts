import { type FileHandle, mkdir, open, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { StorageFull, StorageUnavailable } from './storage'

/** Errors that the operator can fix. All others are bugs. */
const REASONS: Record<string, string> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EIO: 'the disk reports an error',
  EROFS: 'the file system is read-only',
  EACCES: 'the folder may not be written or read',
  EPERM: 'the folder may not be written or read',
  EMFILE: 'too many files are open',
  ENFILE: 'too many files are open',
  ENOTDIR: 'the folder is not a folder',
  ESTALE: 'the network file system is gone',
  ETIMEDOUT: 'the network file system does not answer',
  EHOSTDOWN: 'the network file system does not answer',
}

const FULL = new Set(['ENOSPC', 'EDQUOT'])

export const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException | undefined)?.code

/** Runs work with files. Errors that the operator can fix are thrown as `StorageUnavailable`. */
export async function onDisk<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const reason = REASONS[codeOf(error) ?? '']
    if (reason === undefined) throw error
    const Class = FULL.has(codeOf(error)!) ? StorageFull : StorageUnavailable
    throw new Class(`Files cannot be stored or read: ${reason} (${codeOf(error)}).`, { cause: error })
  }
}

/** Removes a file that may already be gone. If that fails, the daily sweep removes it later. */
export const removeQuietly = (path: string): Promise<void> => rm(path, { force: true }).catch(() => {})

export async function syncFile(path: string): Promise<void> {
  const handle = await open(path, 'r+')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

export async function syncFolder(path: string): Promise<void> {
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Creates a folder and its parents, readable by this user only, and flushes them to the disk. */
export async function makeFolder(path: string): Promise<void> {
  const first = await mkdir(path, { recursive: true, mode: 0o700 })
  if (first === undefined) return
  for (let folder = path; folder.length >= first.length; folder = dirname(folder)) await syncFolder(dirname(folder))
}

const CHUNK_BYTES = 256 * 1024

/** A part of a file as a stream. The file is opened when the first bytes are requested, and read no faster than the reader asks for bytes. */
export function readRange(path: string, { start, end }: { start: number; end: number }): ReadableStream<Uint8Array> {
  let handle: FileHandle | undefined
  let at = start
  const close = async () => {
    const closing = handle
    handle = undefined
    await closing?.close()
  }
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          if (at < end) {
            handle ??= await open(path, 'r')
            const wanted = new Uint8Array(Math.min(CHUNK_BYTES, end - at))
            const { bytesRead } = await handle.read(wanted, 0, wanted.length, at)
            if (bytesRead === 0) throw new Error('The file is shorter than it was.')
            at += bytesRead
            controller.enqueue(wanted.subarray(0, bytesRead))
          }
          if (at < end) return
          await close()
          controller.close()
        } catch (error) {
          await close()
          throw error
        }
      },
      cancel: close,
    },
    { highWaterMark: 0 },
  )
}
