import { mayHaveFiles } from '../contract/browser/constants'
import { fileKind } from '../contract/browser/file-facts'
import { invalidField, notFound, Problem } from '../contract/errors'
import { MAX_TEXT_LENGTH } from '../contract/shapes'
import { endTurn } from '../domain/fair-queue'
import { type Files, readMarkdown } from '../domain/markdown'
import { escapeMarkdown } from '../domain/markdown/attributes'
import { findCheckBox, toggleCheckBox, toggleRenderedCheckBox, toLabel } from '../domain/markdown/check-boxes'
import type { Viewer } from '../domain/permissions'
import type { Reader } from '../store/engines/db'
import { findVisibleFiles, type VisibleFile } from '../store/files/files'
import { findReferencedKeys, type Referrer, setReferences } from '../store/files/references'
import { filterForAuthor, type OldText } from './access'
import type { WriteContext } from './context'
import { findMentions, type Mentions, type TextPlace, toMentioned } from './mentions'

/** A parsed text, and the files it references, if its author can see them. */
interface TextWithFiles {
  markdown: string
  parsed: ReturnType<typeof readMarkdown>
  files: VisibleFile[]
}

/** Parses a text, adds the files of `file_ids` that it does not reference, and finds all of its files with one statement. */
async function readWithFiles(
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

/** An incoming webhook has no files: anyone who knows its URL could publish the files that its owner can see. */
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

const toFiles = (files: readonly VisibleFile[]): Files => new Map(files.map((file) => [file.id, file]))

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

/** Markdown, what it renders to, whom it mentions and the files it references. */
export interface Text {
  markdown: string
  html: string
  mentions: Mentions
  files: VisibleFile[]
  /** The title of a post with this text if its author gave none. */
  title: string
}

interface TextOptions {
  place: TextPlace
  /** Files that are added to the text if it does not reference them. */
  fileIds?: readonly string[]
  /** The text it replaces. */
  old?: OldText
}

/**
 * Renders Markdown, with the names of whom it mentions and the files it references. Authors, groups and files that the viewer cannot
 * see are not shown.
 */
export async function renderText(
  context: WriteContext,
  given: string,
  { place, fileIds = [], old }: TextOptions,
): Promise<Text> {
  const { markdown, parsed, files } = await readWithFiles(context, given, fileIds, old)
  const mentions = await findMentions(context, parsed.mentions(), place, old)

  const names = toMentioned(context, mentions)
  const known = toFiles(files)
  const text = { markdown, html: parsed.toHtml(names, known), mentions, files, title: parsed.toTitle(names, known) }
  await endTurn(markdown)
  return text
}

/** The same for records without a title. Their text must not be blank. */
export async function renderContent(
  context: WriteContext,
  { content_markdown, file_ids }: { content_markdown: string; file_ids?: string[] },
  place: TextPlace,
  old?: OldText,
): Promise<Text> {
  if (!content_markdown.trim() && !file_ids?.length) throw invalidField('content_markdown', 'Must not be blank.')
  return renderText(context, content_markdown, { place, fileIds: file_ids, old })
}

/**
 * Changes one check box, in the Markdown and in the HTML. Returns undefined if it is in that state already. The HTML is not
 * rendered again, because that would also change other things, such as the names of mentioned members.
 */
export async function checkItem(
  markdown: string,
  html: string,
  item: number,
  { is_checked, label }: { is_checked: boolean; label?: string },
): Promise<{ markdown: string; content: string } | undefined> {
  const box = findCheckBox(html, item)
  if (label !== undefined && box?.label !== toLabel(label))
    throw new Problem('checklist_changed', 'The item has another text now. Read the text again.')
  if (!box) throw notFound('check box')
  if (box.isChecked === is_checked) return undefined

  await endTurn(html)
  const changed = toggleCheckBox(markdown, item, is_checked)
  await endTurn(html)
  const content = toggleRenderedCheckBox(html, item, is_checked)
  if (changed === undefined || content === undefined) throw notFound('check box')
  return { markdown: changed, content }
}
