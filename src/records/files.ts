import { isCleaned } from '../contract/file-facts'
import type { File } from '../contract/files'
import { timestamp } from '../domain/timestamps'
import type { FileRow } from '../store/files'
import { toAuthor } from './authors'
import type { Links } from './links'

export const toFile = (
  links: Links,
  file: Pick<FileRow, 'id' | 'name' | 'content_type' | 'size' | 'width' | 'height' | 'created_at' | 'uploader'>,
): File => ({
  id: file.id,
  name: file.name,
  content_type: file.content_type,
  size: file.size,
  width: file.width,
  height: file.height,
  keeps_metadata: !isCleaned(file.content_type),
  created_at: timestamp(file.created_at),
  url: `${links.base}/files/${file.id}`,
  uploader: toAuthor(links, file.uploader),
})
