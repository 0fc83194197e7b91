import { statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { codeOf, onDisk } from './disk'
import { StorageFull } from './storage'

const MIB = 1024 * 1024
const GIB = 1024 * MIB
/** How much is written before the free space is read again: other programs use it, too. */
const CHECK_BYTES = MIB

/** How much space a file system has. */
export interface DiskSpace {
  freeBytes: number
  totalBytes: number
}

export type ReadSpace = (folder: string) => Promise<DiskSpace>

/** What uploads leave free for the database: 5 % of the disk, at least 256 MiB and at most 5 GiB. Of a disk under 1 GiB, a quarter. */
export const reserveOf = (totalBytes: number): number =>
  Math.min(Math.max(totalBytes * 0.05, Math.min(256 * MIB, totalBytes / 4)), 5 * GIB)

/** Space that is set aside for a file while it is written. */
export interface Hold {
  /** Writes so many bytes, unless they would use the reserve. */
  write(bytes: number, work: () => Promise<void>): Promise<void>
}

/** For what is not limited, such as a restore. */
export const unlimited: Hold = { write: (_, work) => work() }

export type Space = ReturnType<typeof openSpace>

/**
 * The space on the disks of the uploaded files and of the database. What is written at the same time is counted together, so that
 * many uploads cannot use the reserve that none of them could. `files` is the folder that uploads are written to; `database` the
 * folder of a SQLite database.
 */
export function openSpace(folders: { files: string; database?: string }, read: ReadSpace = readSpace) {
  /** Bytes that are set aside and not written yet. */
  let held = 0
  /** All bytes that were ever written. */
  let written = 0

  /**
   * Reads the free space. The function that it returns throws if the disk of the files would have less than its reserve after so
   * many more bytes, or that of the database has. It must be called at once, so that nothing is set aside in between.
   */
  async function readDisks(): Promise<(bytes: number) => void> {
    const writtenBefore = written
    const [files, database] = await Promise.all([read(folders.files), folders.database && read(folders.database)])
    return (bytes) => {
      // What was written since the free space was read is no longer free.
      refuseBelowReserve(files, bytes + written - writtenBefore)
      if (database) refuseBelowReserve(database, 0)
    }
  }

  /** Sets space aside while a file of so many bytes is written. Throws `StorageFull` if there is not enough. */
  async function hold<T>(bytes: number, work: (hold: Hold) => Promise<T>): Promise<T> {
    const requireSpace = await readDisks()
    requireSpace(held + bytes)
    held += bytes
    let left = bytes
    let unchecked = 0
    const write: Hold['write'] = async (count, run) => {
      unchecked += count
      if (unchecked >= CHECK_BYTES || count > left) {
        unchecked = 0
        const requireStill = await readDisks()
        requireStill(count)
      }
      await run()
      written += count
      held -= Math.min(left, count)
      left -= Math.min(left, count)
    }
    try {
      return await work({ write })
    } finally {
      held -= left
    }
  }

  return {
    hold,
    /** Bytes that are set aside and not written yet. */
    heldBytes: () => held,
    /** How much is free, and how much of it uploads leave free. */
    async report(): Promise<{ of: 'files' | 'database'; freeBytes: number; reserveBytes: number }[]> {
      const report = async (of: 'files' | 'database', folder: string) => {
        const { freeBytes, totalBytes } = await read(folder)
        return { of, freeBytes, reserveBytes: reserveOf(totalBytes) }
      }
      return Promise.all([
        report('files', folders.files),
        ...(folders.database ? [report('database', folders.database)] : []),
      ])
    },
  }
}

function refuseBelowReserve({ freeBytes, totalBytes }: DiskSpace, bytes: number): void {
  // Some network file systems do not know their size.
  if (totalBytes === 0 || freeBytes - bytes >= reserveOf(totalBytes)) return
  throw new StorageFull(
    `The disk is almost full: ${freeBytes} bytes are free, and uploads leave ${Math.round(reserveOf(totalBytes))} of them for the database.`,
  )
}

/** The space of the file system of a folder, or of where it will be. */
export const readSpace: ReadSpace = (folder) =>
  onDisk(async () => {
    for (let path = folder; ; path = dirname(path))
      try {
        const { bavail, blocks, bsize } = await statfs(path)
        return { freeBytes: bavail * bsize, totalBytes: blocks * bsize }
      } catch (error) {
        if (codeOf(error) !== 'ENOENT' || path === dirname(path)) throw error
      }
  })
