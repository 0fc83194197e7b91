import { invalidField } from '../../contract/errors'
import { fileKind } from '../../contract/file-facts'
import { mayHaveFiles } from '../../contract/file-ids'
import { MAX_TEXT_LENGTH } from '../../contract/page'
import { type Files, readMarkdown } from '../../domain/markdown'
import { escapeMarkdown } from '../../domain/markdown/escape'
import { type Referrer, setReferences } from '../../store/files/references'
import { findVisibleFiles, type VisibleFile } from '../../store/files/visible'
import type { WriteContext } from '../context'

/** A parsed text, and those of the files it references that its author can see. */
interface TextWithFiles {
  markdown: string
  parsed: ReturnType<typeof readMarkdown>
  files: VisibleFile[]
}

/** Parses a text, adds the files of `file_ids` that it does not reference, and finds all of its files with one statement. */
export async function readWithFiles(
  { db, viewer }: WriteContext,
  markdown: string,
  fileIds: readonly string[],
): Promise<TextWithFiles> {
  const parsed = readMarkdown(markdown)
  // Otherwise, anyone who knows the URL of an incoming webhook could publish files that its owner can see.
  if (viewer.ownerKey !== undefined) return { markdown, parsed, files: [] }
  const inText = parsed.fileIds()
  const files = await findVisibleFiles(db, viewer, [...new Set([...inText, ...fileIds])])
  if (fileIds.length === 0) return { markdown, parsed, files }

  const found = new Map(files.map((file) => [file.id, file]))
  const missing = fileIds.find((id) => !found.has(id))
  if (missing) throw invalidField('file_ids', `There is no file ${missing}, or you do not have access to it.`)
  const added = [...new Set(fileIds)].filter((id) => !inText.includes(id)).map((id) => found.get(id)!)
  return { ...addFiles(markdown, parsed, added), files }
}

function addFiles(markdown: string, parsed: TextWithFiles['parsed'], files: readonly VisibleFile[]) {
  if (files.length === 0) return { markdown, parsed }
  const references = files.map(toMarkdown).join('\n\n')
  // If the text ends in an open code block, references after it would be shown as code.
  for (const whole of [`${markdown.trimEnd()}\n\n${references}`.trimStart(), `${references}\n\n${markdown}`]) {
    const parsedWhole = readMarkdown(whole)
    const ids = new Set(parsedWhole.fileIds())
    if (!files.every(({ id }) => ids.has(id))) continue
    if ([...whole].length > MAX_TEXT_LENGTH)
      throw invalidField(
        'content_markdown',
        `Must not be longer than ${MAX_TEXT_LENGTH} characters, including the references to the files.`,
      )
    return { markdown: whole, parsed: parsedWhole }
  }
  throw invalidField('file_ids', 'The text cannot reference so many files.')
}

function toMarkdown(file: VisibleFile): string {
  const link = `[${escapeMarkdown(file.name.replace(/\s+/g, ' '))}](${file.id})`
  return fileKind(file) === 'other' ? link : `!${link}`
}

export const toFiles = (files: readonly VisibleFile[]): Files => new Map(files.map((file) => [file.id, file]))

/**
 * Stores which files a text references. `before` is the HTML of the text it replaces. If neither of them has files, no statement
 * runs, and the key of the record is not looked up.
 */
export async function storeReferences(
  context: WriteContext,
  files: readonly VisibleFile[],
  findReferrer: () => Promise<Omit<Referrer, 'workspace_key'>>,
  before = '',
) {
  if (files.length === 0 && !mayHaveFiles(before)) return
  const referrer = { ...(await findReferrer()), workspace_key: context.viewer.workspace.key }
  await setReferences(
    context.db,
    referrer,
    files.map(({ key }) => key),
    context.now,
  )
}
