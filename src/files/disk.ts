import { mkdir, open, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { StorageUnavailable } from './storage'

/** What the operator can mend. Everything else is a bug. */
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

export const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException | undefined)?.code

/** Runs work with files, and throws what the operator can mend as `StorageUnavailable`. */
export async function onDisk<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const reason = REASONS[codeOf(error) ?? '']
    if (reason === undefined) throw error
    throw new StorageUnavailable(`Files cannot be stored or read: ${reason} (${codeOf(error)}).`, { cause: error })
  }
}

/** Removes a file that may be gone already. What cannot be removed now is removed by the sweep. */
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

/** Creates a folder with those above it, for this user alone, so that they survive a power failure. */
export async function makeFolder(path: string): Promise<void> {
  const first = await mkdir(path, { recursive: true, mode: 0o700 })
  if (first === undefined) return
  for (let folder = path; folder.length >= first.length; folder = dirname(folder)) await syncFolder(dirname(folder))
}
