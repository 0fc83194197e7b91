import type { Comment } from '../contract/comments'
import type { Message } from '../contract/messages'
import type { Post } from '../contract/posts'
import { type Mentioned, mentionsIn, readMarkdown } from '../domain/markdown'
import { toAuthor } from '../records/authors'
import { findVisibleAuthors } from '../store/authors'
import { findChannelAppKeys } from '../store/channel-members'
import { findThreadAppKeys } from '../store/thread-members'
import type { EventLocation, WriteContext } from './context'

type Author = Awaited<ReturnType<typeof findVisibleAuthors>>[number]

/** Markdown, what it renders to, and the authors it mentions. */
export interface Text {
  markdown: string
  html: string
  mentioned: Author[]
  /** The title of a post with this text if its author gave none. */
  title: string
}

/** Renders Markdown, with the names of the authors it mentions. Those the viewer cannot see are not mentioned. */
export async function renderText({ db, viewer, links }: WriteContext, markdown: string): Promise<Text> {
  const text = readMarkdown(markdown)
  const mentioned = await findVisibleAuthors(db, viewer, text.mentions())

  const names: Mentioned = new Map(mentioned.map(({ id, name }) => [id, { name, href: links.person(id) }]))
  return { markdown, html: text.toHtml(names), mentioned, title: text.toTitle(names) }
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
