import type { FileLimits } from '../../domain/files/limits'
import { openPreviews } from '../../files/previews'
import { openSpace, type ReadSpace, type Space } from '../../files/space'
import type { Storage } from '../../files/storage'
import type { Metrics } from '../../metrics'
import { openUploadSlots } from './slots'

export interface FileParts {
  storage: Storage
  limits: FileLimits
  /** The folder of a SQLite database. */
  databaseFolder?: string
  readSpace?: ReadSpace
}

/** The storage of files, the limits, the previews and the uploads that are running. */
export type Files = ReturnType<typeof openFiles>

export function openFiles({ storage, limits, databaseFolder, readSpace }: FileParts, metrics: Metrics) {
  const countBytes = metrics.counter('parley_uploaded_bytes_total', 'Bytes of files that were uploaded.')
  // The counter is exported before the first upload, so that its rate can be computed from 0.
  countBytes('', 0)
  const space = openSpace({ files: storage.stagingFolder, database: databaseFolder }, readSpace)
  measureSpace(metrics, space)
  return { storage, limits, space, previews: openPreviews(storage, { space }), slots: openUploadSlots(), countBytes }
}

function measureSpace(metrics: Metrics, space: Space) {
  const measure = (name: string, help: string, value: 'freeBytes' | 'reserveBytes') =>
    metrics.gauge(
      name,
      help,
      async () => Object.fromEntries((await space.report()).map((disk) => [`of="${disk.of}"`, disk[value]])),
      { merge: 'shared' },
    )
  measure('parley_disk_free_bytes', 'Free space on the disks of uploaded files and of a SQLite database.', 'freeBytes')
  measure('parley_disk_reserve_bytes', 'How much of it uploads leave free.', 'reserveBytes')
}
