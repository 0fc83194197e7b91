import { type FileHandle, open } from 'node:fs/promises'
import { MEGABYTE } from '../domain/files/limits'
import { compareObjects, type Storage } from '../files/storage'
import { type AppendedFile, appendedBytes, appendedFiles, listAppended } from '../store/backup/appended-files'
import { openBackup } from '../store/backup/file'
import type { OpenProgress } from '../store/backup/progress'
import { StartError } from '../store/engines/start-error'

/** Writes into a dump the list of objects that will be appended: those that the database names and the storage has. Returns how many are missing. */
export async function listObjects(path: string, storage: Storage): Promise<number> {
  let missing = 0
  await listAppended(path, async function* (named) {
    for await (const compared of compareObjects(named, storage)) {
      if (!('expected' in compared)) continue
      if (compared.found === compared.expected.size) yield compared.expected
      else missing += 1
    }
  })
  return missing
}

/** Appends the listed objects to the database, one after the other. */
export async function appendObjects(path: string, storage: Storage, openProgress: OpenProgress): Promise<void> {
  const database = openBackup(path)
  const handle = await open(path, 'r+')
  const start = (await handle.stat()).size
  const progress = openProgress('MB of files', appendedBytes(database) / MEGABYTE)
  let end = start
  try {
    for (const file of appendedFiles(database))
      for await (const bytes of readObject(storage, file)) {
        await writeAt(handle, bytes, end)
        end += bytes.length
        progress.report((end - start) / MEGABYTE)
      }
  } finally {
    progress.end()
    await handle.close()
    database.close()
  }
}

async function* readObject(storage: Storage, { object, size }: AppendedFile): AsyncGenerator<Uint8Array> {
  const found = await storage.read(object)
  let read = 0
  if (found?.size === size)
    for await (const bytes of found.stream()) {
      read += bytes.length
      yield bytes
    }
  if (read !== size)
    throw new StartError(`The stored object ${object} could not be read completely. Run the backup again.`)
}

async function writeAt(handle: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let at = 0; at < bytes.length; ) {
    const { bytesWritten } = await handle.write(bytes, at, bytes.length - at, position + at)
    at += bytesWritten
  }
}
