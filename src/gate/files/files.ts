import type { FileLimits } from '../../domain/files/limits'
import { openPreviews } from '../../files/previews'
import type { Storage } from '../../files/storage'
import type { Metrics } from '../../metrics'
import { openUploadSlots } from './slots'

export interface FileParts {
  storage: Storage
  limits: FileLimits
}

/** The storage of files, the limits, the previews and the uploads that are running. */
export type Files = ReturnType<typeof openFiles>

export function openFiles({ storage, limits }: FileParts, metrics: Metrics) {
  const countBytes = metrics.counter('parley_uploaded_bytes_total', 'Bytes of files that were uploaded.')
  // The counter is exported before the first upload, so that its rate can be computed from 0.
  countBytes('', 0)
  return { storage, limits, previews: openPreviews(storage), slots: openUploadSlots(), countBytes }
}
