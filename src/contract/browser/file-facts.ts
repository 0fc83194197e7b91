/** How a text shows a file: as an image, a video or audio, or as a card with a link to download it. */
export type FileKind = 'image' | 'video' | 'audio' | 'other'

/** Types that every browser shows and the server can make previews of: these can be a member's picture or an emoji. */
export const PICTURE_TYPES: readonly string[] = ['image/png', 'image/jpeg', 'image/webp', 'image/gif']
/** Types that browsers show as an image. None of these can run code. */
export const SHOWN_IMAGES: readonly string[] = [...PICTURE_TYPES, 'image/avif']
export const VIDEOS: readonly string[] = ['video/mp4', 'video/webm']
export const AUDIO: readonly string[] = ['audio/mpeg', 'audio/ogg', 'audio/wav', 'audio/mp4', 'audio/aac', 'audio/flac']

/** Images and videos whose metadata is removed. All other files are stored as they are. */
export const CLEANED_TYPES = [
  ...(['image/jpeg', 'image/png', 'image/webp', 'image/gif', 'image/avif'] as const),
  ...(['image/heic', 'image/heif', 'image/heic-sequence', 'image/heif-sequence'] as const),
  ...(['video/mp4', 'video/quicktime', 'video/3gpp', 'video/3gpp2', 'audio/mp4'] as const),
  ...(['video/webm', 'video/matroska'] as const),
]
export type CleanedType = (typeof CLEANED_TYPES)[number]

export const isCleaned = (contentType: string): contentType is CleanedType =>
  (CLEANED_TYPES as string[]).includes(contentType)

/** A picture of unknown size would move the text while it loads, so it is not shown. */
export function fileKind(file: { content_type: string; width: number | null; height: number | null }): FileKind {
  if (PICTURE_TYPES.includes(file.content_type)) return file.width && file.height ? 'image' : 'other'
  if (VIDEOS.includes(file.content_type)) return 'video'
  return AUDIO.includes(file.content_type) ? 'audio' : 'other'
}

const UNITS = ['KB', 'MB', 'GB', 'TB']

/** Formats a number of bytes for people: `1.2 MB`. */
export function formatSize(bytes: number): string {
  if (bytes < 1000) return bytes === 1 ? '1 byte' : `${bytes} bytes`
  let size = bytes
  let unit = -1
  do {
    size /= 1000
    unit += 1
  } while (size >= 999.5 && unit < UNITS.length - 1)
  // 9.96 is shown as 10, not as 10.0.
  return `${size < 9.95 ? size.toFixed(1).replace('.0', '') : Math.round(size)} ${UNITS[unit]}`
}

const OFFICE = 'application/vnd.openxmlformats-officedocument'
const OPEN = 'application/vnd.oasis.opendocument'

const NAMES: Record<string, string> = {
  'application/pdf': 'PDF',
  'application/zip': 'ZIP archive',
  'application/gzip': 'Gzip archive',
  'application/x-tar': 'TAR archive',
  'application/x-7z-compressed': '7z archive',
  'application/vnd.rar': 'RAR archive',
  'application/msword': 'Word document',
  [`${OFFICE}.wordprocessingml.document`]: 'Word document',
  'application/vnd.ms-excel': 'Excel spreadsheet',
  [`${OFFICE}.spreadsheetml.sheet`]: 'Excel spreadsheet',
  'application/vnd.ms-powerpoint': 'PowerPoint presentation',
  [`${OFFICE}.presentationml.presentation`]: 'PowerPoint presentation',
  [`${OPEN}.text`]: 'OpenDocument text',
  [`${OPEN}.spreadsheet`]: 'OpenDocument spreadsheet',
  [`${OPEN}.presentation`]: 'OpenDocument presentation',
  'application/json': 'JSON',
  'application/xml': 'XML',
  'text/xml': 'XML',
  'text/csv': 'CSV',
  'text/html': 'HTML',
  'text/markdown': 'Markdown',
  'text/plain': 'Text',
  'text/calendar': 'Calendar',
  'image/svg+xml': 'SVG image',
  'image/jpeg': 'JPEG image',
  'image/png': 'PNG image',
  'image/gif': 'GIF image',
  'image/webp': 'WebP image',
  'image/avif': 'AVIF image',
  'image/heic': 'HEIC image',
  'image/tiff': 'TIFF image',
  'image/bmp': 'BMP image',
  'audio/mpeg': 'MP3 audio',
  'video/quicktime': 'QuickTime video',
}

const FAMILIES: Record<string, string> = { image: 'Image', video: 'Video', audio: 'Audio', text: 'Text', font: 'Font' }

/** The type of a file as people call it: `PDF`, `Word document`. If the type is not known, it is taken from the extension of the name. */
function nameType({ content_type, name }: { content_type: string; name: string }): string {
  const known = NAMES[content_type] ?? FAMILIES[content_type.split('/')[0]!]
  if (known) return known
  const ending = /\.([a-z\d]{1,8})$/i.exec(name)?.[1]
  return ending ? `${ending.toUpperCase()} file` : 'File'
}

/** The type and size of a file, which are shown below its name: `PDF · 1.2 MB`. */
export const describeFile = (file: { content_type: string; name: string; size: number }): string =>
  `${nameType(file)} · ${formatSize(file.size)}`
