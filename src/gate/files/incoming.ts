import { stage } from '../../files/staging'
import type { StagedFile } from '../../files/storage'
import type { Call } from '../answer'
import type { Parley } from '../parley'

/** A file that is being received. */
export interface IncomingFile {
  name: string | undefined
  type: string | undefined
  stream: ReadableStream<Uint8Array>
}

/** A file that was received. */
export interface ArrivedFile extends Pick<IncomingFile, 'name' | 'type'> {
  staged: StagedFile
}

/** How many bytes a form may have besides the file. */
export const MAX_FORM_BYTES = 64 * 1024

/**
 * Receives the file that a request brings. Before its first byte is read, the space for it is set aside: as much as the request
 * states, or as the largest file needs.
 */
export function receive({ files }: Parley, { readBody, bodyBytes }: Call): Promise<ArrivedFile> {
  const { storage, limits, countBytes, space } = files
  const maxBytes = limits.maxFileBytes
  return space.hold(Math.min(bodyBytes ?? maxBytes, maxBytes), async (hold) => {
    const { name, type, stream } = (await readBody()) as IncomingFile
    const staged = await stage(stream, { maxBytes, folder: storage.stagingFolder, hold })
    countBytes('', staged.size)
    return { name, type, staged }
  })
}
