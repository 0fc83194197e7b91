import { Problem } from '../../contract/errors'
import type { FileLimits } from './limits'

/** Bytes that are stored under the name `object`. */
export interface StoredBytes {
  size: number
  /** SHA-256. */
  hash: string
  object: string
}

/** An upload whose bytes are stored. */
export interface ReceivedFile extends StoredBytes {
  name: string
  contentType: string
  width: number | null
  height: number | null
}

/** Throws if this many more bytes would exceed the quota of the workspace. */
export function requireRoom({ quotaBytes }: FileLimits, usedBytes: number, bytes: number) {
  if (quotaBytes === null || usedBytes + bytes <= quotaBytes) return
  const left = Math.max(0, quotaBytes - usedBytes)
  throw new Problem(
    'quota_exceeded',
    `The files of the workspace can take up to ${quotaBytes} bytes, and only ${left} are left. Delete files that nobody needs, or ask the operator to raise the limit.`,
    undefined,
    // The rest of the body will not be read.
    { Connection: 'close' },
  )
}
