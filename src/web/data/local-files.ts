import { SHOWN_IMAGES } from '../../contract/browser/file-facts'
import { type FileRecord, fileKey } from './files'
import { cache } from './parley'

/** Pictures that were uploaded in this window, to show them without loading them again. The last ones: they take memory. */
const localFiles = new Map<string, File>()
const MAX_LOCAL_FILES = 20

/** A file that was just uploaded. */
export function putFile(record: FileRecord, file: File) {
  cache.setQueryData(fileKey(record.id), record)
  if (!SHOWN_IMAGES.includes(file.type)) return
  localFiles.set(record.id, file)
  if (localFiles.size > MAX_LOCAL_FILES) localFiles.delete(localFiles.keys().next().value!)
}

export const getLocalFile = (id: string) => localFiles.get(id)
