import { describeFile, fileKind } from '../../contract/file-facts'
import { isBlank } from '../names'
import { attribute, escapeHtml, REL } from './attributes'
import type { Files, ReferencedFile } from './files'
import { type Element, type FileBlock, type Image, textOfNodes } from './tree'

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
  // The HTML of every reference contains the id, so that an edit can tell that the old text had files (actions/text/files.ts).
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
