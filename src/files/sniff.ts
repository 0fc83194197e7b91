import { fileTypeFromBuffer } from 'file-type'
import { sniffText } from './sniff-text'

export const UNKNOWN_TYPE = 'application/octet-stream'

/** The name of a type that browsers know, for types with several names. */
const USUAL_NAMES: Record<string, string> = {
  'audio/x-m4a': 'audio/mp4',
  'audio/x-m4b': 'audio/mp4',
  'audio/x-flac': 'audio/flac',
  'audio/vnd.wave': 'audio/wav',
  'audio/x-wav': 'audio/wav',
  'audio/opus': 'audio/ogg',
  'audio/ogg; codecs=opus': 'audio/ogg',
  'video/x-m4v': 'video/mp4',
  'image/apng': 'image/png',
}

/** Types that are told apart by the extension of the name, because the first bytes only show the container format. */
const BY_EXTENSION: Record<string, Record<string, string>> = {
  'application/zip': {
    docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
    odt: 'application/vnd.oasis.opendocument.text',
    ods: 'application/vnd.oasis.opendocument.spreadsheet',
    odp: 'application/vnd.oasis.opendocument.presentation',
    epub: 'application/epub+zip',
  },
  'application/x-cfb': {
    doc: 'application/msword',
    xls: 'application/vnd.ms-excel',
    ppt: 'application/vnd.ms-powerpoint',
    msg: 'application/vnd.ms-outlook',
  },
}

/** What the upload says about a file. It may be wrong. */
export interface Claim {
  name: string
  /** The `Content-Type` of the upload, if there was one. */
  declaredType?: string | undefined
}

const extensionOf = (name: string) => name.match(/\.([a-z0-9]{1,8})$/i)?.[1]?.toLowerCase() ?? ''

/**
 * Detects the type of a file by its first bytes. The name and the declared type only decide between types that are equally
 * harmless.
 */
export async function sniff(head: Uint8Array, isWhole: boolean, { name, declaredType }: Claim): Promise<string> {
  const extension = extensionOf(name)
  const found = await findMagic(head)
  // The byte order mark of UTF-16 looks like the beginning of MPEG audio.
  const mayBeText = found === undefined || found === 'application/xml' || found === 'audio/mpeg'
  const text = mayBeText ? sniffText(head, isWhole, extension, declaredType) : undefined
  const type = text ?? found ?? UNKNOWN_TYPE
  return BY_EXTENSION[type]?.[extension] ?? USUAL_NAMES[type] ?? type
}

async function findMagic(head: Uint8Array): Promise<string | undefined> {
  try {
    return (await fileTypeFromBuffer(head))?.mime
  } catch {
    return undefined // The first bytes are not valid.
  }
}
