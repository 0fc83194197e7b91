import { mayHaveFiles } from '../contract/browser/constants'
import { fileKind } from '../contract/browser/file-facts'
import { kindOf } from '../contract/browser/kinds'
import type { Comment } from '../contract/comments'
import { invalidField, notFound, Problem } from '../contract/errors'
import type { Message } from '../contract/messages'
import type { Post } from '../contract/posts'
import { MAX_TEXT_LENGTH } from '../contract/shapes'
import { endTurn } from '../domain/fair-queue'
import { toAuthor } from '../domain/links'
import { type Files, type Mentioned, mentionsIn, namedIn, readMarkdown } from '../domain/markdown'
import { escapeMarkdown } from '../domain/markdown/attributes'
import { findCheckBox, toggleCheckBox, toggleRenderedCheckBox, toLabel } from '../domain/markdown/check-boxes'
import type { Viewer } from '../domain/permissions'
import type { EventLocation } from '../store/changes/change'
import { findChannelAppKeys } from '../store/content/channel-members'
import { findThreadAppKeys } from '../store/content/thread-members'
import type { Reader } from '../store/engines/db'
import { findVisibleFiles, type VisibleFile } from '../store/files/files'
import { findReferencedKeys, type Referrer, setReferences } from '../store/files/references'
import { findAuthorViewer, findVisibleAuthors } from '../store/people/authors'
import type { WriteContext } from './context'

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

type Author = Awaited<ReturnType<typeof findVisibleAuthors>>[number]

/** Markdown, what it renders to, the authors it mentions and the files it references. */
export interface Text {
  markdown: string
  html: string
  mentioned: Author[]
  files: VisibleFile[]
  /** The title of a post with this text if its author gave none. */
  title: string
}

/**
 * Renders Markdown, with the names of the authors it mentions and the files it references. Authors and files that the viewer
 * cannot see are not shown. Files in `fileIds` that the text does not reference are added to it. `old` is the text it replaces.
 */
export async function renderText(
  context: WriteContext,
  given: string,
  fileIds: readonly string[] = [],
  old?: OldText,
): Promise<Text> {
  const { links } = context
  const { markdown, parsed, files } = await readWithFiles(context, given, fileIds, old)
  const mentioned = await findMentioned(context, parsed.mentions(), old)

  const names: Mentioned = new Map(mentioned.map(({ id, name }) => [id, { name, href: links.person(id) }]))
  const known = toFiles(files)
  const text = { markdown, html: parsed.toHtml(names, known), mentioned, files, title: parsed.toTitle(names, known) }
  await endTurn(markdown)
  return text
}

async function findMentioned(context: WriteContext, ids: readonly string[], old: OldText | undefined) {
  const { db, viewer } = context
  return filterForAuthor(context, old, await findVisibleAuthors(db, viewer, ids), async ({ findMarkdown, html }) => {
    const named = new Set(namedIn(await findMarkdown(), html))
    return {
      wasShown: ({ id }) => named.has(id),
      findVisible: (author, added) => findVisibleAuthors(db, author, added),
    }
  })
}

/** The same for records without a title. Their text must not be blank. */
export async function renderContent(
  context: WriteContext,
  { content_markdown, file_ids }: { content_markdown: string; file_ids?: string[] },
  old?: OldText,
): Promise<Text> {
  if (!content_markdown.trim() && !file_ids?.length) throw invalidField('content_markdown', 'Must not be blank.')
  return renderText(context, content_markdown, file_ids, old)
}

/** The keys of the members that a text mentions and the old text did not. */
export function newlyMentioned(text: Text, before = ''): number[] {
  const members = text.mentioned.filter(({ id }) => kindOf(id) === 'member')
  if (members.length === 0) return []
  const old = mentionsIn(before)
  return members.filter(({ id }) => !old.includes(id)).map(({ key }) => key)
}

type Subject =
  | { subject_type: 'post'; subject: Post }
  | { subject_type: 'comment'; subject: Comment }
  | { subject_type: 'message'; subject: Message }

/** Announces mentions to the apps that can see the location. `before` is the old text: its mentions are not repeated. */
export async function announceMentions(
  context: WriteContext,
  text: Text,
  where: Subject,
  location: EventLocation,
  before = '',
) {
  const all = text.mentioned.filter(({ id }) => kindOf(id) === 'app')
  if (all.length === 0) return
  const old = mentionsIn(before)
  const apps = all.filter(({ id }) => !old.includes(id))
  if (apps.length === 0) return
  const keys = apps.map(({ key }) => key)
  const allowed = location.channel_key
    ? await findChannelAppKeys(context.db, location.channel_key, keys)
    : await findThreadAppKeys(context.db, location.thread_key!, keys)
  for (const app of apps)
    if (allowed.has(app.key))
      context.announce('app.mentioned', { app: toAuthor(context.links, app.stored), ...where }, location)
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

/** The text that an edit replaces. */
interface OldText {
  author_key: number
  html: string
  findMarkdown: () => Promise<string>
  referrer: Omit<Referrer, 'workspace_key'>
}

interface Rights<Found> {
  /** Whether the old text showed it. */
  wasShown: (found: Found) => boolean
  /** Filters ids to what the author can see. */
  findVisible: (author: Viewer, ids: readonly string[]) => Promise<readonly { id: string }[]>
}

/**
 * Filters the files or people that an editor can see to the ones the text may show. If someone else wrote the text, these are the
 * ones it showed before, and the ones its author can see now, too. Otherwise, anyone could write the id of something hidden
 * from them, and an admin who corrects a typo would publish it.
 */
async function filterForAuthor<Found extends { id: string }>(
  { db, viewer }: WriteContext,
  old: OldText | undefined,
  found: Found[],
  findRights: (old: OldText) => Promise<Rights<Found>>,
): Promise<Found[]> {
  if (!old || old.author_key === viewer.author.key || found.length === 0) return found
  const { wasShown, findVisible } = await findRights(old)
  const added = found.filter((each) => !wasShown(each)).map(({ id }) => id)
  const author = added.length > 0 ? await findAuthorViewer(db, viewer.workspace, old.author_key) : undefined
  const visible = new Set((author ? await findVisible(author, added) : []).map(({ id }) => id))
  return found.filter((each) => wasShown(each) || visible.has(each.id))
}
