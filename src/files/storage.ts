/** Where the bytes of files are: a folder, or S3. Objects are written once and never changed. */
export interface Storage {
  readonly kind: 'folder' | 's3'
  /** Where uploads are staged: a folder of this machine, on the same file system as the objects if they are in a folder. */
  readonly stagingFolder: string
  /**
   * Moves a staged file into the storage, under this name. When it resolves, the object survives a power failure. The staged
   * file is gone afterwards, whatever happens.
   */
  put(object: string, staged: StagedFile): Promise<void>
  /** Stores something small that was made here, such as a preview. */
  write(object: string, bytes: Uint8Array): Promise<void>
  /** The object, or a part of it (`end` is exclusive), to be read as a stream. Undefined if there is no such object. */
  read(object: string, range?: { start: number; end: number }): Promise<StoredObject | undefined>
  /** Deletes an object. One that does not exist is deleted already. */
  delete(object: string): Promise<void>
  /** All objects, in order of their names. */
  list(): AsyncIterable<{ object: string; size: number; modifiedAt: number }>
  /** Throws `StorageUnavailable` if nothing can be written or read at the moment. */
  check(): Promise<void>
}

export interface StoredObject {
  /** Of the whole object. */
  size: number
  /** Of the whole object, if it is a file of this machine. */
  path?: string
  /** Can be called once. Whoever does not want the bytes does not call it. */
  stream(): ReadableStream<Uint8Array>
}

/** The bytes of an upload while it is received: a file of this machine. */
export interface StagedFile {
  path: string
  size: number
  /** SHA-256, in hexadecimal digits. */
  hash: string
}

/** The disk is full, or the storage cannot be reached: nothing was changed, and trying again later may help. */
export class StorageUnavailable extends Error {}

/**
 * Object names are made by the server; still, none that could leave the folder is ever used. No part begins with a dot, and
 * `incoming` is where uploads are staged.
 */
export function requireObjectName(object: string): void {
  const isSafe = object.length <= 512 && /^[\w-][\w.-]*(?:\/[\w-][\w.-]*)+$/.test(object)
  if (!isSafe || object.startsWith('incoming/')) throw new Error(`Not a name of an object: ${JSON.stringify(object)}`)
}
