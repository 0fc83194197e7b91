import { invalidField } from '../../contract/errors'
import { fileKind } from '../../contract/file-facts'
import { mayHaveFiles } from '../../contract/file-ids'
import { MAX_TEXT_LENGTH } from '../../contract/page'
import { type Files, readMarkdown } from '../../domain/markdown'
import { escapeMarkdown } from '../../domain/markdown/escape'
import type { Viewer } from '../../domain/permissions'
import { endTurn } from '../../domain/turns'
import type { Reader } from '../../store/db'
import { findReferencedKeys, type Referrer, setReferences } from '../../store/files/references'
import { findVisibleFiles, type VisibleFile } from '../../store/files/visible'
import type { WriteContext } from '../context'
import { filterForAuthor, type OldText } from './old-text'

/** A parsed text, and those of the files it references that its author can see. */
interface TextWithFiles {
  markdown: string
  parsed: ReturnType<typeof readMarkdown>
  files: VisibleFile[]
}

/** Parses a text, adds the files of `file_ids` that it does not reference, and finds all of its files with one statement. */
export async function readWithFiles(
  context: WriteContext,
  markdown: string,
  fileIds: readonly string[],
  old?: OldText,
): Promise<TextWithFiles> {
  const parsed = readMarkdown(markdown)
  await endTurn(markdown)
  const inText = parsed.fileIds()
  const files = await findFiles(context, [...new Set([...inText, ...fileIds])], old)
  if (fileIds.length === 0) return { markdown, parsed, files }

  const found = new Map(files.map((file) => [file.id, file]))
  const missing = fileIds.find((id) => !found.has(id))
  if (missing) {
    const who = old && old.author_key !== context.viewer.author.key ? 'you or the author of the text' : 'you'
    throw invalidField('file_ids', `There is no file ${missing}, or ${who} do not have access to it.`)
  }
  const added = [...new Set(fileIds)].filter((id) => !inText.includes(id)).map((id) => found.get(id)!)
  return { ...(await addFiles(markdown, parsed, added)), files }
}

/** The files that a text may show, by the rights of who writes it, and of its author if that is someone else. */
async function findFiles(context: WriteContext, ids: readonly string[], old: OldText | undefined) {
  const { db, viewer } = context
  return filterForAuthor(context, old, await findWritersFiles(db, viewer, ids), async ({ html, referrer }) => {
    const shown = mayHaveFiles(html) ? await findReferencedKeys(db, referrer) : undefined
    return {
      wasShown: ({ key }) => shown?.has(key) ?? false,
      findVisible: (author, added) => findWritersFiles(db, author, added),
    }
  })
}

/** An incoming webhook has no files: anyone who knows its URL could publish those that its owner can see. */
const findWritersFiles = async (db: Reader, writer: Viewer, ids: readonly string[]) =>
  writer.ownerKey === undefined ? findVisibleFiles(db, writer, ids) : []

async function addFiles(markdown: string, parsed: TextWithFiles['parsed'], files: readonly VisibleFile[]) {
  if (files.length === 0) return { markdown, parsed }
  const references = files.map(toMarkdown).join('\n\n')
  // If the text ends in an open code block, references after it would be shown as code.
  for (const whole of [`${markdown.trimEnd()}\n\n${references}`.trimStart(), `${references}\n\n${markdown}`]) {
    await endTurn(whole)
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
