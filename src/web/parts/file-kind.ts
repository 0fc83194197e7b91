import type { File } from '../../contract/files'
import type { IconName } from './icon'

/** The icon of a file by the end of its name. */
const byExtension: Record<string, IconName> = {
  ...list('file-image', 'arw avif bmp cr2 cr3 dng gif heic heif ico jpeg jpg nef png svg tif tiff webp'),
  ...list('file-video', 'avi m4v mkv mov mp4 webm'),
  ...list('file-audio', 'aac flac m4a mp3 oga ogg opus wav'),
  ...list('file-archive', '7z bz2 dmg gz iso rar tar tgz xz zip zst'),
  ...list('file-table', 'csv numbers ods tsv xls xlsx'),
  ...list('file-text', 'doc docx key md odp odt pages pdf ppt pptx rtf txt'),
  ...list('file-code', 'c cpp css go html java js json jsx log py rb rs sh sql toml ts tsx xml yaml yml'),
}

function list(icon: IconName, extensions: string): Record<string, IconName> {
  return Object.fromEntries(extensions.split(' ').map((extension) => [extension, icon]))
}

export const getFileIcon = (name: string): IconName => byExtension[getExtension(name)] ?? 'file'

/** Whether it may tell where it was taken. The type of a photo that is broken is not known, so its name decides. */
export function mayHaveGeolocation({ keeps_metadata, content_type, name }: File): boolean {
  if (!keeps_metadata || WITHOUT_GEOLOCATION.includes(content_type)) return false
  return /^(?:image|video)\//.test(content_type) || /^file-(?:image|video)$/.test(getFileIcon(name))
}
const WITHOUT_GEOLOCATION = ['image/svg+xml', 'image/bmp', 'image/x-icon']

const getExtension = (name: string) => name.match(/\.([^.]+)$/)?.[1]?.toLowerCase() ?? ''
