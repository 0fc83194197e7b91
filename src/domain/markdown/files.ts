import { FILE_ID } from '../../contract/browser/constants'
import { describeFile, fileKind } from '../../contract/browser/file-facts'
import { isBlank } from '../names'
import { attribute, escapeHtml, REL } from './attributes'
import { type Element, type FileBlock, type Image, type Node, textOfNodes, walk } from './tree'

/** What a text shows of a file it references. */
export interface ReferencedFile {
  name: string
  content_type: string
  size: number
  width: number | null
  height: number | null
}

/** The files that a text can show, by id. All others are shown as not available. */
export type Files = ReadonlyMap<string, ReferencedFile>

/** How many files of a text are shown. */
const MAX_FILES = 50

const WHOLE_ID = new RegExp(`^${FILE_ID}$`)

/** Whether the URL of a link or an image is the id of an uploaded file. */
export const isFileId = (address: string): boolean => WHOLE_ID.test(address)

/** The ids of the files that a parsed text references, each once. */
export function findFileIds(nodes: readonly Node[]): string[] {
  const ids = new Set<string>()
  const add = (address: string) => {
    if (isFileId(address)) ids.add(address)
    return ids.size >= MAX_FILES
  }
  walk(nodes, {
    enter: (element) => element.type === 'link' && add(element.href),
    leave: () => false,
    leaf: (node) => typeof node !== 'string' && idOfLeaf(node, add),
  })
  return [...ids]
}

function idOfLeaf(node: Exclude<Node, string>, add: (id: string) => boolean): boolean {
  if (node.type === 'file') return add(node.id)
  return node.type === 'image' && add(node.src)
}

/** Replaces a paragraph that contains only files by these files. They are block elements, which a paragraph cannot contain. */
export function toFileBlocks(children: readonly Node[]): FileBlock[] | undefined {
  const blocks: FileBlock[] = []
  for (const node of children) {
    if (typeof node === 'string' ? node.trim() === '' : node.type === 'break') continue
    const block = toFileBlock(node)
    if (!block) return undefined
    blocks.push(block)
  }
  return blocks.length > 0 ? blocks : undefined
}

function toFileBlock(node: Node): FileBlock | undefined {
  if (typeof node === 'string') return undefined
  if (node.type === 'image') return isFileId(node.src) ? ofImage(node) : undefined
  if (node.type !== 'link' || !isFileId(node.href)) return undefined
  return { type: 'file', id: node.href, label: textOfNodes(node.children), isImage: false, title: undefined }
}

const ofImage = ({ src, alt, title }: Image): FileBlock => ({ type: 'file', id: src, label: alt, isImage: true, title })

type Tags = readonly [open: string, close: string]
type Reference = Pick<FileBlock, 'id' | 'label' | 'title'>

/**
 * A file in a paragraph of its own. URLs are relative to the server, so that they stay valid if its name changes. An id has
 * only letters, digits and `_`, so it needs no escaping.
 */
export function fileBlockHtml(reference: FileBlock, files: Files): string {
  const file = files.get(reference.id)
  if (!file) return `<p>${missingHtml(reference.label)}</p>`
  const kind = reference.isImage ? fileKind(file) : 'other'
  if (kind === 'other') return cardHtml(reference, file)
  return `<figure class="file-${kind}" data-file="${reference.id}">${shownHtml[kind](reference, file)}</figure>`
}

const shownHtml = {
  image: (reference: Reference, file: ReferencedFile) =>
    `<a href="/files/${reference.id}" ${REL}>${imageHtml(reference, file)}</a>`,
  video: (reference: Reference, file: ReferencedFile) =>
    `<video controls preload="metadata" src="/files/${reference.id}"${sizeOf(file)}${labelled(reference, file)}></video>`,
  audio: (reference: Reference, file: ReferencedFile) =>
    `<audio controls preload="none" src="/files/${reference.id}"${labelled(reference, file)}></audio>`,
}

const imageHtml = ({ id, label, title }: Reference, file: ReferencedFile) =>
  `<img src="/files/${id}/large" ${attribute('alt', label)}${title ? ` ${attribute('title', title)}` : ''}${sizeOf(file)}${named(label, file)} loading="lazy" />`

const cardHtml = ({ id, label }: Reference, file: ReferencedFile) =>
  `<p class="file-card" data-file="${id}">${downloadTag(id, label, file)}<span class="file-name">${escapeHtml(isBlank(label) ? file.name : label)}</span> <span class="file-facts">${escapeHtml(describeFile(file))}</span></a></p>`

/** An image within a line. A file that cannot be shown as an image becomes a link, unless it is inside a link already. */
export function fileImageHtml({ src: id, alt: label, title }: Image, files: Files, isInLink: boolean): string {
  const file = files.get(id)
  if (!file) return missingHtml(label)
  if (fileKind(file) === 'image') return imageHtml({ id, label, title }, file)
  const text = escapeHtml(isBlank(label) ? file.name : label)
  // The HTML of every reference contains the id, so that an edit can tell that the old text had files (actions/text.ts).
  return isInLink
    ? `<span class="file-name" data-file="${id}">${text}</span>`
    : `${downloadTag(id, label, file)}${text}</a>`
}

/** A link within a line. If it has no text, it shows the name of the file. */
export function fileLinkTags({ href: id, children }: Extract<Element, { type: 'link' }>, files: Files): Tags {
  const file = files.get(id)
  const label = textOfNodes(children)
  if (!file) return [`${MISSING_TAG}${isBlank(label) ? MISSING_LABEL : ''}`, '</span>']
  return [`${downloadTag(id, label, file)}${isBlank(label) ? escapeHtml(file.name) : ''}`, '</a>']
}

/** A reference as it is written in Markdown, for texts that would be too long otherwise. It contains the id, like the others. */
export const fileText = (id: string, label: string, isImage: boolean): string =>
  `${isImage ? '!' : ''}[${escapeHtml(label)}](${id})`

export const fileLinkText = ({ href: id }: Extract<Element, { type: 'link' }>): Tags => ['[', `](${id})`]

const downloadTag = (id: string, label: string, file: ReferencedFile) =>
  `<a href="/files/${id}/download" ${REL}${named(isBlank(label) ? file.name : label, file)}>`

const MISSING_TAG = '<span class="file-missing">'
const MISSING_LABEL = 'File not available'
const missingHtml = (label: string) => `${MISSING_TAG}${isBlank(label) ? MISSING_LABEL : escapeHtml(label)}</span>`

const sizeOf = ({ width, height }: ReferencedFile) => (width && height ? ` width="${width}" height="${height}"` : '')

const labelled = ({ label }: Reference, file: ReferencedFile) =>
  isBlank(label) ? ` ${attribute('aria-label', file.name)}` : ` ${attribute('aria-label', label)}${named(label, file)}`

/** The name of a file, if the text does not contain it otherwise, so that searches find it. */
const named = (label: string, { name }: ReferencedFile) => (label === name ? '' : ` ${attribute('data-name', name)}`)
