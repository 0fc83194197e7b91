import { randomUUID } from 'node:crypto'
import { type FileHandle, open, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf, makeFolder, onDisk, removeQuietly } from './disk'
import { type Hold, unlimited } from './space'
import type { StagedFile } from './storage'

/** The body is longer than allowed. */
export class FileTooLarge extends Error {
  constructor(readonly maxBytes: number) {
    super(`The file is larger than ${maxBytes} bytes.`)
  }
}

interface StageOptions {
  maxBytes: number
  /** `storage.stagingFolder`. */
  folder: string
  /** The space that is set aside for it. */
  hold?: Hold
}

/**
 * Writes a body to a new file as it arrives. The next bytes are read only after the last ones are written, so that a fast sender
 * cannot fill the memory. If anything fails, the file is removed.
 */
export function stage(body: ReadableStream<Uint8Array>, options: StageOptions): Promise<StagedFile> {
  const { maxBytes, folder, hold } = options
  const fill = async (write: Write) => {
    let size = 0
    // An error that leaves the loop also cancels the body.
    for await (const chunk of body) {
      size += chunk.length
      if (size > maxBytes) throw new FileTooLarge(maxBytes)
      await write(chunk)
      free(chunk)
    }
  }
  return writeStaged(folder, fill, hold)
}

type Write = (bytes: Uint8Array) => Promise<void>

/**
 * Gives the memory of bytes back that nobody needs any more. The garbage collector would be slower than a fast sender, and the
 * process would need tens of megabytes more.
 */
function free({ buffer, byteLength }: Uint8Array) {
  const isPart = byteLength < buffer.byteLength
  if (!isPart && buffer instanceof ArrayBuffer) buffer.transfer(0)
}

/** Creates a staged file from the bytes that `fill` writes. */
export async function writeStaged(
  folder: string,
  fill: (write: Write) => Promise<void>,
  hold: Hold = unlimited,
): Promise<StagedFile> {
  const path = join(folder, randomUUID())
  const handle = await onDisk(() => openNew(path, folder))
  const hash = new Bun.CryptoHasher('sha256')
  let size = 0
  try {
    await fill(async (bytes) => {
      hash.update(bytes)
      size += bytes.length
      await hold.write(bytes.length, () => onDisk(() => writeAll(handle, bytes)))
    })
    await onDisk(() => handle.close())
    return { path, size, hash: hash.digest('hex') }
  } catch (error) {
    await handle.close().catch(() => {})
    await removeQuietly(path)
    throw error
  }
}

async function openNew(path: string, folder: string): Promise<FileHandle> {
  try {
    return await open(path, 'wx', 0o600)
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
    await makeFolder(folder)
    return open(path, 'wx', 0o600)
  }
}

async function writeAll(handle: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length; ) {
    const { bytesWritten } = await handle.write(bytes, at, bytes.length - at)
    at += bytesWritten
  }
}

/** Removes a staged file that will not be stored. */
export const discard = (staged: StagedFile): Promise<void> => removeQuietly(staged.path)

/** Removes staged files that a killed process left behind. */
export async function removeOldStaged(folder: string, olderThanMs: number, now = Date.now()): Promise<void> {
  const names = await onDisk(() => readdir(folder)).catch((error) => {
    if (codeOf(error) === 'ENOENT') return []
    throw error
  })
  for (const name of names) {
    const path = join(folder, name)
    const found = await stat(path).catch(() => undefined)
    if (!found?.isFile() || found.mtimeMs > now - olderThanMs) continue
    await removeQuietly(path)
  }
}
