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
