import type { Comment } from '../contract/comments'
import { invalidField } from '../contract/errors'
import type { Message } from '../contract/messages'
import type { Post } from '../contract/posts'
import { type Mentioned, mentionsIn, namedIn } from '../domain/markdown'
import { endTurn } from '../domain/turns'
import { toAuthor } from '../records/authors'
import { findVisibleAuthors } from '../store/authors'
import { findChannelAppKeys } from '../store/channel-members'
import type { VisibleFile } from '../store/files/visible'
import { findThreadAppKeys } from '../store/thread-members'
import type { EventLocation, WriteContext } from './context'
import { readWithFiles, toFiles } from './text/files'
import { filterForAuthor, type OldText } from './text/old-text'

export { storeReferences } from './text/files'

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
  const members = text.mentioned.filter(({ id }) => id.startsWith('mem_'))
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
  const all = text.mentioned.filter(({ id }) => id.startsWith('app_'))
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
      context.announce('app.mentioned', { app: toAuthor(context.links, app.card), ...where }, location)
}
