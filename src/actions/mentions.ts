import { type Everyone, isEveryone } from '../contract/browser/constants'
import { kindOf } from '../contract/browser/kinds'
import type { Comment } from '../contract/comments'
import { invalidField, Problem } from '../contract/errors'
import type { Message } from '../contract/messages'
import type { Post } from '../contract/posts'
import type { NamedGroup } from '../domain/events/visibility'
import { endTurn } from '../domain/fair-queue'
import { toAuthor } from '../domain/links'
import { type Mentioned, mentionsIn, namedIn } from '../domain/markdown'
import { canMentionChannels } from '../domain/permissions'
import type { EventLocation } from '../store/changes/change'
import { findChannelAppKeys } from '../store/content/channel-members'
import { findThreadAppKeys } from '../store/content/thread-members'
import { findAuthorViewer, findVisibleAuthors } from '../store/people/authors'
import { findVisibleGroups, useMention } from '../store/people/groups'
import { getWorkspace } from '../store/people/workspaces'
import { filterForAuthor, type OldText } from './access'
import type { WriteContext } from './context'

/** How often someone can mention a whole channel within an hour, and how often groups of many people. */
export const MAX_CHANNEL_MENTIONS = 10
export const MAX_GROUP_MENTIONS = 60
/** Groups of together so few people are not counted: a text can mention as many by name. */
export const MAX_UNCOUNTED_PEOPLE = 20
export const MAX_GROUPS_IN_TEXT = 10

/** Where a text is: only in channels there is someone whom `<@channel>` and `<@here>` mean. A preview is nowhere. */
export type TextPlace = 'channel' | 'thread' | 'preview'

type Author = Awaited<ReturnType<typeof findVisibleAuthors>>[number]

/** Whom a text mentions: members and apps; and groups, everyone in its channel, or those of them who are online. */
export interface Mentions {
  authors: Author[]
  groups: { id: string; name: string; group: NamedGroup }[]
  /** What the text it replaces mentioned. */
  before: ReadonlySet<string>
}

/** The text that an edit replaces, parsed. */
interface ParsedText extends OldText {
  mentioned: ReadonlySet<string>
  /** Those of them whom it named. */
  named: ReadonlySet<string>
}

async function parseOld(old: OldText): Promise<ParsedText> {
  const markdown = await old.findMarkdown()
  const mentioned = mentionsIn(markdown)
  await endTurn(markdown)
  return { ...old, mentioned: new Set(mentioned), named: new Set(namedIn(mentioned, old.html)) }
}

const NOTHING: Mentions = { authors: [], groups: [], before: new Set() }

/** What of the given ids a text may mention, by the rights of who writes it, and of its author if that is someone else. */
export async function findMentions(
  context: WriteContext,
  ids: readonly string[],
  place: TextPlace,
  replaced: OldText | undefined,
): Promise<Mentions> {
  if (ids.length === 0) return NOTHING
  const old = replaced && (await parseOld(replaced))
  const everyone = place === 'thread' ? [] : await filterEveryone(context, ids.filter(isEveryone), place, old)
  const { db } = context
  const visibleGroups = await filterMentioned(
    context,
    old,
    ids.filter((id) => kindOf(id) === 'group'),
    (viewer, some) => findVisibleGroups(db, viewer, some),
  )
  const groups = await filterGroups(context, visibleGroups, place, old)
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
    before: old?.mentioned ?? NOTHING.before,
  }
}

async function filterMentioned<Found extends { id: string }>(
  context: WriteContext,
  old: ParsedText | undefined,
  ids: readonly string[],
  find: (viewer: WriteContext['viewer'], ids: readonly string[]) => Promise<Found[]>,
): Promise<Found[]> {
  if (ids.length === 0) return []
  return filterForAuthor(context, old, await find(context.viewer, ids), async ({ named }) => ({
    wasShown: ({ id }) => named.has(id),
    findVisible: find,
  }))
}

/**
 * Of `channel` and `here`, what a text mentioned before, and what may be added. To add one of them without the right is refused,
 * except where nobody could correct the text: what an incoming webhook posts, or whoever edits for its author, is shown as it was
 * written.
 */
async function filterEveryone(
  context: WriteContext,
  ids: readonly Everyone[],
  place: TextPlace,
  old: ParsedText | undefined,
): Promise<readonly Everyone[]> {
  if (ids.length === 0) return []
  const { db, viewer, now } = context
  const kept = ids.filter((id) => old?.named.has(id))
  if (kept.length === ids.length || viewer.ownerKey !== undefined) return kept

  const { channel_mentions } = await getWorkspace(db, viewer.workspace.key)
  const isAllowed = canMentionChannels(viewer, channel_mentions)
  if (place === 'preview') return isAllowed ? ids : kept
  if (old && old.author_key !== viewer.author.key) {
    const author = await findAuthorViewer(db, viewer.workspace, old.author_key)
    if (!author || !canMentionChannels(author, channel_mentions)) return kept
  }
  if (!isAllowed) throw refused(channel_mentions === 'admins' && viewer.role !== 'guest')
  const waitUntil = await useMention(db, viewer, 'channel', { max: MAX_CHANNEL_MENTIONS, now })
  if (waitUntil !== undefined)
    throw tooMany(
      `You can mention whole channels ${MAX_CHANNEL_MENTIONS} times an hour. Remove @channel and @here from the text`,
      waitUntil - now,
    )
  return ids
}

type Group = Awaited<ReturnType<typeof findVisibleGroups>>[number]

/**
 * Refuses to add groups to a text that mentions too many, or where someone mentions many people too often: each mention is worked off
 * one after the other, and delays what else belongs into inboxes. What an incoming webhook posts is shown as it was written instead.
 */
async function filterGroups(
  context: WriteContext,
  groups: Group[],
  place: TextPlace,
  old: ParsedText | undefined,
): Promise<Group[]> {
  if (groups.length === 0 || place === 'preview') return groups
  const added = groups.filter(({ id }) => !old?.mentioned.has(id))
  const problem = added.length > 0 ? await checkAddedGroups(context, groups.length, added) : undefined
  if (!problem) return groups
  if (context.viewer.ownerKey === undefined) throw problem
  return groups.filter(({ id }) => old?.mentioned.has(id))
}

async function checkAddedGroups({ db, viewer, now }: WriteContext, count: number, added: readonly Group[]) {
  if (count > MAX_GROUPS_IN_TEXT)
    return invalidField('content_markdown', `Must not mention more than ${MAX_GROUPS_IN_TEXT} groups.`)
  if (added.reduce((sum, { members_count }) => sum + members_count, 0) <= MAX_UNCOUNTED_PEOPLE) return undefined
  const kind = viewer.ownerKey === undefined ? 'groups' : 'groups_by_hooks'
  const waitUntil = await useMention(db, viewer, kind, { max: MAX_GROUP_MENTIONS, now })
  if (waitUntil === undefined) return undefined
  return tooMany(
    `You can mention groups with together more than ${MAX_UNCOUNTED_PEOPLE} people ${MAX_GROUP_MENTIONS} times an hour. Remove them from the text`,
    waitUntil - now,
  )
}

const refused = (isForAdmins: boolean) =>
  new Problem(
    'forbidden',
    `${isForAdmins ? 'Only admins can mention a whole channel in this workspace.' : 'Guests cannot mention a whole channel.'} Remove @channel and @here from the text.`,
  )

function tooMany(what: string, waitMs: number) {
  const minutes = Math.max(1, Math.ceil(waitMs / 60_000))
  return new Problem(
    'too_many_mentions',
    `${what}, or try again in ${minutes === 1 ? '1 minute' : `${minutes} minutes`}.`,
  )
}

/** What the mentions of a text are shown as. */
export const toMentioned = ({ links }: WriteContext, { authors, groups }: Mentions): Mentioned =>
  new Map([
    ...authors.map(({ id, name }) => [id, { name, href: links.person(id) }] as const),
    ...groups.map(({ id, name }) => [id, { name, href: isEveryone(id) ? undefined : links.group(id) }] as const),
  ])

/** Whom a text mentions that the old text did not: an event names them. */
export const newlyMentioned = ({
  mentions: { authors, groups, before },
}: {
  mentions: Mentions
}): Pick<EventLocation, 'named' | 'namedGroups'> => ({
  named: authors.filter(({ id }) => kindOf(id) === 'member' && !before.has(id)).map(({ key }) => key),
  namedGroups: groups.filter(({ id }) => !before.has(id)).map(({ group }) => group),
})

type Subject =
  | { subject_type: 'post'; subject: Post }
  | { subject_type: 'comment'; subject: Comment }
  | { subject_type: 'message'; subject: Message }

/** Announces mentions to the apps that can see the location. Those of the old text are not repeated. */
export async function announceMentions(
  context: WriteContext,
  { mentions: { authors, before } }: { mentions: Mentions },
  where: Subject,
  location: EventLocation,
) {
  const apps = authors.filter(({ id }) => kindOf(id) === 'app' && !before.has(id))
  if (apps.length === 0) return
  const keys = apps.map(({ key }) => key)
  const allowed = location.channel_key
    ? await findChannelAppKeys(context.db, location.channel_key, keys)
    : await findThreadAppKeys(context.db, location.thread_key!, keys)
  for (const app of apps)
    if (allowed.has(app.key))
      context.announce('app.mentioned', { app: toAuthor(context.links, app.stored), ...where }, location)
}
