import { useQuery } from '@tanstack/react-query'
import { FILE_ID } from '../../contract/browser/constants'
import { fileKind } from '../../contract/browser/file-facts'
import type { File, FileLimits, File as FileRecord } from '../../contract/files'
import { toFilesQuery } from '../paths'
import { type FileLocation, keys } from './cache/keys'
import { usePages } from './cache/pages'
import { cache, parley } from './cache/parley'
import { isInCode } from './code-ranges'

export type { FileLocation, FileRecord }

const LIMITS = ['file-limits']
export const fileKey = (id: string) => ['file', id]

/** The files of a channel or a thread, newest first. */
export const useFiles = (location: FileLocation, from?: string) =>
  usePages<FileRecord>(keys.filesOf(location), (after) => parley.files.list(toFilesQuery(location, after)), { from })

/** How many files a channel has. */
export const useFilesCount = (channelId: string): number | undefined =>
  useQuery({
    queryKey: keys.filesCount(channelId),
    queryFn: async () => (await parley.files.list({ channel_id: channelId, limit: 1 })).total_count,
  }).data

/** One file, such as one that a draft refers to. */
export const useFile = (id: string) => useQuery({ queryKey: fileKey(id), queryFn: () => parley.files.get({ id }) })

const LIMITS_AGE_MS = 60_000

/** How large files may be, and how much space is used. */
export const getLimits = () =>
  cache.fetchQuery({
    queryKey: LIMITS,
    queryFn: () => parley.files.limits(),
    staleTime: LIMITS_AGE_MS,
    networkMode: 'always',
    retry: false,
  })

export const countUsedBytes = (bytes: number) =>
  cache.setQueryData<FileLimits>(LIMITS, (limits) => limits && { ...limits, used_bytes: limits.used_bytes + bytes })

/** A file in a text: `![alt](file_…)` shows it, `[name](file_…)` links to it. */
export interface FileReference {
  fileId: string
  /** What it says: the alt text of a picture, or the name of a file. */
  label: string
  isShown: boolean
  start: number
  end: number
}

const REFERENCE = new RegExp(String.raw`(!?)\[((?:\\.|[^\\\]])*)\]\((${FILE_ID})\)`, 'g')

/** The files that a text references, each at its first position. */
export function findReferences(text: string): FileReference[] {
  const found = new Map<string, FileReference>()
  for (const reference of listReferences(text)) if (!found.has(reference.fileId)) found.set(reference.fileId, reference)
  return [...found.values()]
}

const unescapeLabel = (label: string) => label.replace(/\\([\\[\]`*<])/g, '$1')

/** A text with the names of its files in place of their references, for where it is shown as text. */
export const nameFiles = (text: string): string =>
  text.replace(REFERENCE, (_, __, label: string) => unescapeLabel(label) || 'File')

const listReferences = (text: string): FileReference[] =>
  [...text.matchAll(REFERENCE)]
    .map(({ 0: whole, 1: mark, 2: label, 3: fileId, index }) => ({
      fileId: fileId!,
      label: unescapeLabel(label!),
      isShown: mark === '!',
      start: index,
      end: index + whole.length,
    }))
    .filter(({ start }) => !isInCode(text, start + 1))

/** Pictures, videos and sounds are shown; other files are linked. */
export const toReference = (file: Pick<File, 'id' | 'name' | 'content_type' | 'width' | 'height'>) =>
  formatReference(file.id, file.name, fileKind(file) !== 'other')

const formatReference = (fileId: string, label: string, isShown: boolean) =>
  `${isShown ? '!' : ''}[${label.replace(/\s+/g, ' ').replace(/[\\[\]`*<]/g, '\\$&')}](${fileId})`

/** A reference with the blank lines that make it a paragraph of its own, to be inserted at a position. */
export function toParagraph(text: string, at: number, reference: string): string {
  const [before, after] = [text.slice(0, at), text.slice(at)]
  const open = before === '' || before.endsWith('\n\n') ? '' : before.endsWith('\n') ? '\n' : '\n\n'
  const close = after.startsWith('\n\n') ? '' : after.startsWith('\n') ? '\n' : '\n\n'
  return open + reference + close
}

/** Adds a reference at the end of a text. */
export const appendReference = (text: string, reference: string) => text + toParagraph(text, text.length, reference)

/** Removes a file from a text, and the blank lines around it that are no longer needed. */
export function removeReference(text: string, fileId: string): string {
  let rest = text
  for (const { start, end } of listReferences(text)
    .filter((reference) => reference.fileId === fileId)
    .reverse()) {
    const [before, after] = [rest.slice(0, start), rest.slice(end)]
    const wasParagraph = (before === '' || before.endsWith('\n')) && (after === '' || after.startsWith('\n'))
    rest = before + (wasParagraph ? after.replace(/^\n{1,2}/, '') : after)
  }
  return rest
}

/** Changes the alt text of a picture. */
export function setLabel(text: string, fileId: string, label: string): string {
  const reference = findReferences(text).find((found) => found.fileId === fileId)
  if (!reference) return text
  return text.slice(0, reference.start) + formatReference(fileId, label, reference.isShown) + text.slice(reference.end)
}

/** Moves a position along with a change of the text. Text that is inserted exactly there comes after the position. */
export function shiftPosition(position: number, before: string, after: string): number {
  let start = 0
  while (start < before.length && start < after.length && before[start] === after[start]) start++
  if (start >= position) return Math.min(position, after.length)
  let end = 0
  const limit = Math.min(before.length, after.length) - start
  while (end < limit && before[before.length - 1 - end] === after[after.length - 1 - end]) end++
  return Math.max(start, Math.min(after.length, position + after.length - before.length))
}
