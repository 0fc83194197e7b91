import type { FileLimits } from '../../domain/files/limits'
import { openPreviews } from '../../files/previews'
import type { Storage } from '../../files/storage'
import type { Metrics } from '../../metrics'
import { openUploadSlots } from './slots'

export interface FileParts {
  storage: Storage
  limits: FileLimits
}

/** Where files are stored, what is allowed, and how many are received right now. */
export type Files = ReturnType<typeof openFiles>

export function openFiles({ storage, limits }: FileParts, metrics: Metrics) {
  const countBytes = metrics.counter('parley_uploaded_bytes_total', 'Bytes of files that were uploaded.')
  // It is there before the first upload: a rate needs a start.
  countBytes('', 0)
  return { storage, limits, previews: openPreviews(storage), slots: openUploadSlots(), countBytes }
}
