import { invalidField } from '../../contract/errors'
import { fileKind } from '../../contract/file-facts'
import { type Files, readMarkdown } from '../../domain/markdown'
import { escapeMarkdown } from '../../domain/markdown/escape'
import { type Referrer, setReferences } from '../../store/files/references'
import { findVisibleFiles, type VisibleFile } from '../../store/files/visible'
import type { WriteContext } from '../context'

const MAX_LENGTH = 100_000

/** A parsed text with the files it references, as far as its writer can see them. */
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
  // Whoever knows the address of an incoming webhook could otherwise publish what its owner sees.
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
  // A text that ends in an open code block would show references after it as code.
  for (const whole of [`${markdown.trimEnd()}\n\n${references}`.trimStart(), `${references}\n\n${markdown}`]) {
    const ids = new Set(readMarkdown(whole).fileIds())
    if (!files.every(({ id }) => ids.has(id))) continue
    if ([...whole].length > MAX_LENGTH)
      throw invalidField('content_markdown', `Must not be longer than ${MAX_LENGTH} characters with the files.`)
    return { markdown: whole, parsed: readMarkdown(whole) }
  }
  throw invalidField('file_ids', 'The text would have too many files.')
}

function toMarkdown(file: VisibleFile): string {
  const link = `[${escapeMarkdown(file.name.replace(/\s+/g, ' '))}](${file.id})`
  return fileKind(file) === 'other' ? link : `!${link}`
}

export const toFiles = (files: readonly VisibleFile[]): Files => new Map(files.map((file) => [file.id, file]))

/** Whether rendered Markdown may reference files: the HTML of each has its id. */
const mayHaveFiles = (html: string) => html.includes('file_')

/**
 * Stores which files a text references. `before` is the HTML of the text it replaces. Where neither has files, it runs no
 * statement, and the key of the record is not looked up.
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
