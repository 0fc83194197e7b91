/** Where the bytes of files are stored: a folder, or S3. Objects are written once and never changed. */
export interface Storage {
  readonly kind: 'folder' | 's3'
  /** Where uploads are staged: a folder on this machine. If objects are stored in a folder, it is on the same file system. */
  readonly stagingFolder: string
  /**
   * Moves a staged file into the storage, under this name. When it resolves, the object survives a power failure. The staged
   * file is removed in any case.
   */
  put(object: string, staged: StagedFile): Promise<void>
  /** Stores a small object from memory, such as a preview. */
  write(object: string, bytes: Uint8Array): Promise<void>
  /** The object, or a part of it (`end` is exclusive), to be read as a stream. Undefined if there is no such object. */
  read(object: string, range?: { start: number; end: number }): Promise<StoredObject | undefined>
  /** The size of an object, without opening it. Undefined if there is no such object. */
  findSize(object: string): Promise<number | undefined>
  /** Deletes an object. If it does not exist, nothing happens. */
  delete(object: string): Promise<void>
  /** All objects, sorted by name. */
  list(): AsyncIterable<{ object: string; size: number; modifiedAt: number }>
  /** Throws `StorageUnavailable` if nothing can be written or read at the moment. */
  check(): Promise<void>
}

export interface StoredObject {
  /** The size of the whole object. */
  size: number
  /** The path of the whole object, if it is a file on this machine. */
  path?: string
  /** Opens the stream. Can be called once. */
  stream(): ReadableStream<Uint8Array>
  /** Closes what was opened. Called instead of `stream` if the bytes are not wanted. */
  cancel(): void
}

/** The bytes of an upload in a file on this machine, before they are stored. */
export interface StagedFile {
  path: string
  size: number
  /** SHA-256, in hexadecimal digits. */
  hash: string
}

/** The disk is full, or the storage cannot be reached. Nothing was changed, and trying again later may help. */
export class StorageUnavailable extends Error {}

/** There is no more space for files. Trying again helps only once something was deleted. */
export class StorageFull extends StorageUnavailable {}

/** The storage does not answer, although it can be reached. */
export class StorageSilent extends StorageUnavailable {}

/**
 * Object names are made by the server. They are checked all the same, so that no name can ever leave the folder: no part may begin
 * with a dot, and `incoming` is reserved for staged uploads.
 */
export function requireObjectName(object: string): void {
  const isSafe = object.length <= 512 && /^[\w-][\w.-]*(?:\/[\w-][\w.-]*)+$/.test(object)
  if (!isSafe || object.startsWith('incoming/')) throw new Error(`Not a name of an object: ${JSON.stringify(object)}`)
}

const BASE32 = '0123456789abcdefghjkmnpqrstvwxyz'

/** A new name for bytes of a workspace. The same bytes get another name each time, so that deleting one object harms no other. */
export const newObjectName = (workspaceId: string, hash: string): string => {
  const random = Array.from(crypto.getRandomValues(new Uint8Array(8)), (byte) => BASE32[byte & 31]).join('')
  return `${workspaceId}/${hash.slice(0, 2)}/${hash}-${random}`
}

/** A name for an object that is written only to see whether that works. */
export const newCheckName = (): string => `check/${crypto.randomUUID()}`

const OURS = new RegExp(`^(?:ws_[0-7][${BASE32}]{25}/[0-9a-f]{2}/[0-9a-f]{64}-[${BASE32}]{8}|check/[0-9a-f-]{36})$`)

/** Whether an object has a name that was made here. Others may keep files in the same bucket or folder; they are never deleted. */
export const isOurObject = (object: string): boolean => OURS.test(object)

/** An object that should be in the storage. */
interface ExpectedObject {
  object: string
  size: number
}

export type Compared<Expected> =
  /** An object that should be there. `found` is its size in the storage, or undefined if it is missing. */
  | { expected: Expected; found: number | undefined }
  /** An object in the storage that nothing names. */
  | { stray: { object: string; size: number; modifiedAt: number } }

/**
 * Compares the objects that should be in a storage, sorted by name, with the objects that are in it. Both lists are read once, so that it takes few
 * requests and little memory, however many objects there are. A preview belongs to its object.
 */
export async function* compareObjects<Expected extends ExpectedObject>(
  expected: Iterable<Expected> | AsyncIterable<Expected>,
  storage: Pick<Storage, 'list'>,
): AsyncGenerator<Compared<Expected>> {
  const stored = storage.list()[Symbol.asyncIterator]()
  let next = await stored.next()
  let last: string | undefined
  const strayObjects = async function* (before: string | undefined): AsyncGenerator<Compared<Expected>> {
    for (; !next.done && (before === undefined || next.value.object < before); next = await stored.next())
      if (last === undefined || !next.value.object.startsWith(`${last}.`)) yield { stray: next.value }
  }
  for await (const each of expected) {
    yield* strayObjects(each.object)
    last = each.object
    if (next.done || next.value.object !== each.object) yield { expected: each, found: undefined }
    else {
      yield { expected: each, found: next.value.size }
      next = await stored.next()
    }
  }
  yield* strayObjects(undefined)
}
