import { randomUUID } from 'node:crypto'
import type { Stats } from 'node:fs'
import { open, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { codeOf, makeFolder, onDisk, readRange, removeQuietly, syncFile, syncFolder } from './disk'
import { requireObjectName, type StagedFile, type Storage } from './storage'

/** Stores objects as files in a folder. Uploads are staged in its subfolder `incoming`, so that storing one is only a rename. */
export function openFolder(folder: string): Storage {
  const root = resolve(folder)
  const stagingFolder = join(root, 'incoming')

  const pathOf = (object: string) => {
    requireObjectName(object)
    return join(root, object)
  }

  /** An object gets its name only after all of its bytes are on the disk. */
  async function move(from: string, object: string): Promise<void> {
    const path = pathOf(object)
    await syncFile(from)
    await makeFolder(dirname(path))
    await rename(from, path)
    await syncFolder(dirname(path))
  }

  async function put(object: string, staged: StagedFile): Promise<void> {
    try {
      await onDisk(() => move(staged.path, object))
    } finally {
      await removeQuietly(staged.path)
    }
  }

  async function write(object: string, bytes: Uint8Array): Promise<void> {
    const path = join(stagingFolder, randomUUID())
    await onDisk(async () => {
      await makeFolder(stagingFolder)
      const handle = await open(path, 'wx', 0o600)
      try {
        await handle.writeFile(bytes)
      } finally {
        await handle.close()
      }
    }).catch(async (error) => {
      await removeQuietly(path)
      throw error
    })
    await put(object, { path, size: bytes.length, hash: '' })
  }

  return {
    kind: 'folder',
    stagingFolder,
    put,
    write,
    read: (object, range) =>
      onDisk(async () => {
        const path = pathOf(object)
        const found = await statFile(path)
        if (!found) return undefined
        const { size } = found
        // Nothing is open before the stream is read.
        return { size, path, stream: () => readRange(path, range ?? { start: 0, end: size }), cancel() {} }
      }),
    findSize: (object) => onDisk(async () => (await statFile(pathOf(object)))?.size),
    delete: (object) => onDisk(() => rm(pathOf(object), { force: true })),
    list: () => listFolder(root),
    check: () =>
      onDisk(async () => {
        await makeFolder(stagingFolder)
        const path = join(stagingFolder, `check-${randomUUID()}`)
        try {
          await (await open(path, 'wx', 0o600)).close()
        } finally {
          await removeQuietly(path)
        }
      }),
  }
}

async function statFile(path: string): Promise<Stats | undefined> {
  try {
    const found = await stat(path)
    return found.isFile() ? found : undefined
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  }
}

/** Sorted by the full names: `a.b/…` comes before `a/…`. */
async function* listFolder(root: string, prefix = ''): ReturnType<Storage['list']> {
  const entries = await onDisk(() => readdir(join(root, prefix), { withFileTypes: true })).catch((error) => {
    if (codeOf(error) === 'ENOENT') return []
    throw error
  })
  const names = entries
    .filter(({ name }) => !(prefix === '' && name === 'incoming') && !name.startsWith('.'))
    .map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name))
    .sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
  for (const name of names) {
    const object = prefix + name
    if (name.endsWith('/')) yield* listFolder(root, object)
    else if (prefix !== '') {
      const found = await onDisk(() => statFile(join(root, object)))
      if (found) yield { object, size: found.size, modifiedAt: Math.trunc(found.mtimeMs) }
    }
  }
}
