import { type Everyone, isEveryone } from '../contract/browser/constants'
import { kindOf } from '../contract/browser/kinds'
import type { Comment } from '../contract/comments'
import { Problem } from '../contract/errors'
import type { Message } from '../contract/messages'
import type { Post } from '../contract/posts'
import type { NamedGroup } from '../domain/events/visibility'
import { toAuthor } from '../domain/links'
import { type Mentioned, mentionsIn, namedIn } from '../domain/markdown'
import { canMentionChannels } from '../domain/permissions'
import type { EventLocation } from '../store/changes/change'
import { findChannelAppKeys } from '../store/content/channel-members'
import { findThreadAppKeys } from '../store/content/thread-members'
import { findAuthorViewer, findVisibleAuthors } from '../store/people/authors'
import { findVisibleGroups, useChannelMention } from '../store/people/groups'
import { getWorkspace } from '../store/people/workspaces'
import { filterForAuthor, type OldText } from './access'
import type { WriteContext } from './context'

/** How often someone can mention a whole channel within an hour. */
export const MAX_CHANNEL_MENTIONS = 10

/** Where a text is: only in channels there is someone whom `<@channel>` and `<@here>` mean. A preview is nowhere. */
export type TextPlace = 'channel' | 'thread' | 'preview'

type Author = Awaited<ReturnType<typeof findVisibleAuthors>>[number]

/** Whom a text mentions: members and apps; and groups, everyone in its channel, or those of them who are online. */
export interface Mentions {
  authors: Author[]
  groups: { id: string; name: string; group: NamedGroup }[]
}

/** What of the given ids a text may mention, by the rights of who writes it, and of its author if that is someone else. */
export async function findMentions(
  context: WriteContext,
  ids: readonly string[],
  place: TextPlace,
  old: OldText | undefined,
): Promise<Mentions> {
  const everyone = place === 'thread' ? [] : await filterEveryone(context, ids.filter(isEveryone), place, old)
  const { db } = context
  const groups = await filterMentioned(
    context,
    old,
    ids.filter((id) => kindOf(id) === 'group'),
    (viewer, some) => findVisibleGroups(db, viewer, some),
  )
  const authors = await filterMentioned(
    context,
    old,
    ids.filter((id) => !isEveryone(id) && kindOf(id) !== 'group'),
    (viewer, some) => findVisibleAuthors(db, viewer, some),
  )
  return {
    authors,
    groups: [
      ...everyone.map((id) => ({ id, name: id, group: id })),
      ...groups.map(({ id, name, key }) => ({ id, name, group: key })),
    ],
  }
}

async function filterMentioned<Found extends { id: string }>(
  context: WriteContext,
  old: OldText | undefined,
  ids: readonly string[],
  find: (viewer: WriteContext['viewer'], ids: readonly string[]) => Promise<Found[]>,
): Promise<Found[]> {
  if (ids.length === 0) return []
  return filterForAuthor(context, old, await find(context.viewer, ids), async (replaced) => {
    const named = await findNamed(replaced)
    return { wasShown: ({ id }) => named.has(id), findVisible: find }
  })
}

const findNamed = async ({ findMarkdown, html }: OldText): Promise<Set<string>> =>
  new Set(namedIn(await findMarkdown(), html))

/**
 * Of `channel` and `here`, what a text mentioned before, and what may be added. To add one of them without the right is refused,
 * except where nobody could correct the text: what an incoming webhook posts, or whoever edits for its author, is shown as it was
 * written.
 */
async function filterEveryone(
  context: WriteContext,
  ids: readonly Everyone[],
  place: TextPlace,
  old: OldText | undefined,
): Promise<readonly Everyone[]> {
  if (ids.length === 0) return []
  const { db, viewer, now } = context
  const named = old ? await findNamed(old) : new Set()
  const kept = ids.filter((id) => named.has(id))
  if (kept.length === ids.length || viewer.ownerKey !== undefined) return kept

  const { channel_mentions } = await getWorkspace(db, viewer.workspace.key)
  const isAllowed = canMentionChannels(viewer, channel_mentions)
  if (place === 'preview') return isAllowed ? ids : kept
  if (old && old.author_key !== viewer.author.key) {
    const author = await findAuthorViewer(db, viewer.workspace, old.author_key)
    if (!author || !canMentionChannels(author, channel_mentions)) return kept
  }
  if (!isAllowed) throw refused(channel_mentions === 'admins' && viewer.role !== 'guest')
  const waitUntil = await useChannelMention(db, viewer, MAX_CHANNEL_MENTIONS, now)
  if (waitUntil !== undefined) throw tooMany(waitUntil - now)
  return ids
}

const refused = (isForAdmins: boolean) =>
  new Problem(
    'forbidden',
    `${isForAdmins ? 'Only admins can mention a whole channel in this workspace.' : 'Guests cannot mention a whole channel.'} Remove @channel and @here from the text.`,
  )

function tooMany(waitMs: number) {
  const minutes = Math.max(1, Math.ceil(waitMs / 60_000))
  return new Problem(
    'too_many_mentions',
    `You can mention whole channels ${MAX_CHANNEL_MENTIONS} times an hour. Remove @channel and @here from the text, or try again in ${minutes === 1 ? '1 minute' : `${minutes} minutes`}.`,
  )
}

/** What the mentions of a text are shown as. */
export const toMentioned = ({ links }: WriteContext, { authors, groups }: Mentions): Mentioned =>
  new Map([
    ...authors.map(({ id, name }) => [id, { name, href: links.person(id) }] as const),
    ...groups.map(({ id, name }) => [id, { name, href: isEveryone(id) ? undefined : links.group(id) }] as const),
  ])

/** Whom a text mentions that the old text did not: an event names them. */
export function newlyMentioned(
  { mentions: { authors, groups } }: { mentions: Mentions },
  before = '',
): Pick<EventLocation, 'named' | 'namedGroups'> {
  const members = authors.filter(({ id }) => kindOf(id) === 'member')
  if (members.length === 0 && groups.length === 0) return {}
  const old = new Set(mentionsIn(before))
  return {
    named: members.filter(({ id }) => !old.has(id)).map(({ key }) => key),
    namedGroups: groups.filter(({ id }) => !old.has(id)).map(({ group }) => group),
  }
}

export const hasMentions = ({ mentions: { authors, groups } }: { mentions: Mentions }): boolean =>
  authors.length + groups.length > 0

type Subject =
  | { subject_type: 'post'; subject: Post }
  | { subject_type: 'comment'; subject: Comment }
  | { subject_type: 'message'; subject: Message }

/** Announces mentions to the apps that can see the location. `before` is the old text: its mentions are not repeated. */
export async function announceMentions(
  context: WriteContext,
  { mentions: { authors } }: { mentions: Mentions },
  where: Subject,
  location: EventLocation,
  before = '',
) {
  const all = authors.filter(({ id }) => kindOf(id) === 'app')
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
