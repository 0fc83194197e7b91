import type { Input } from '../contract'
import { type Audience, MAX_AUDIENCE_COUNTED, type MentionedAudience } from '../contract/audience'
import { isEveryone } from '../contract/browser/constants'
import { kindOf } from '../contract/browser/kinds'
import { notFound } from '../contract/errors'
import { MAX_GROUP_MEMBERS } from '../contract/groups'
import { toAuthor } from '../domain/links'
import { canManageChannel, canMentionChannels, may } from '../domain/permissions'
import type { AttentionSubject } from '../domain/references'
import { findVisible } from '../store/access/references'
import { countEveryone, countFollowers, findPlace, findReached } from '../store/content/audience'
import { findChannelAppKeys, isInChannel } from '../store/content/channel-members'
import { findThreadAppKeys } from '../store/content/thread-members'
import { findVisibleAuthors } from '../store/people/authors'
import { findVisibleGroups } from '../store/people/groups'
import { getWorkspace } from '../store/people/workspaces'
import type { ReadContext } from './context'
import { MAX_GROUPS_IN_TEXT } from './mentions'

/** So many people of groups are looked at: of all that a text can mention. Of groups beyond, only how many are in them is known. */
const MAX_LOOKED_AT = MAX_GROUPS_IN_TEXT * MAX_GROUP_MEMBERS

export async function get(context: ReadContext, { subject_id, ids = [] }: Input<'audience.get'>): Promise<Audience> {
  const { db, viewer } = context
  const subject = await findVisible(db, viewer, subject_id, ['channel', 'post', 'thread'])
  if (!subject) throw notFound('channel, post or thread')

  const place = await findPlace(db, subject)
  const { members_count, is_public } = place
  return {
    members_count,
    is_public,
    followers_count: await countFollowers(db, viewer, subject),
    mentioned: await listMentioned(context, subject, [...new Set(ids)], await canAddPeople(context, subject, place)),
  }
}

/** Whether the caller may add people there: as `channels.addMember` and `threads.addMember` decide it. */
async function canAddPeople(
  { db, viewer }: ReadContext,
  { channel_key, thread_key }: AttentionSubject,
  place: Awaited<ReturnType<typeof findPlace>>,
): Promise<boolean> {
  if (thread_key !== 0) return !place.is_direct && may(viewer, 'write')
  return canManageChannel(viewer, place, await isInChannel(db, channel_key, viewer.author.key))
}

type Found = Pick<MentionedAudience, 'id' | 'type' | 'name'> & {
  key: number
  /** Of a group. */
  members_count?: number
  /** Of a member or an app. */
  stored?: string
}

/** In the order in which they are asked for. */
async function listMentioned(
  context: ReadContext,
  subject: AttentionSubject,
  ids: readonly string[],
  canAdd: boolean,
): Promise<MentionedAudience[]> {
  const { db, viewer } = context
  const everyone = await listEveryone(context, subject, ids)
  const authors = await findVisibleAuthors(
    db,
    viewer,
    ids.filter((id) => ['member', 'app'].includes(kindOf(id) ?? '')),
  )
  const groups = await findVisibleGroups(
    db,
    viewer,
    ids.filter((id) => kindOf(id) === 'group'),
  )
  const found: Found[] = [
    ...authors.map(({ id, name, key, stored }) => ({
      ...{ id, name, key, stored },
      type: kindOf(id) === 'app' ? ('app' as const) : ('member' as const),
    })),
    ...groups.map((group) => ({ ...group, type: 'group' as const })),
  ]
  const people = await listPeople(context, subject, found, canAdd)
  const byId = new Map([...everyone, ...people].map((each) => [each.id, each]))
  return ids.flatMap((id) => byId.get(id) ?? [])
}

/** `channel` and `here`, which mean nobody in a thread. */
async function listEveryone({ db, viewer, now }: ReadContext, subject: AttentionSubject, ids: readonly string[]) {
  const asked = ids.filter(isEveryone)
  if (asked.length === 0) return []
  const isInChannel = subject.thread_key === 0
  const { channel_mentions } = await getWorkspace(db, viewer.workspace.key)
  const is_allowed = isInChannel && canMentionChannels(viewer, channel_mentions)
  const entries: MentionedAudience[] = []
  for (const id of asked) {
    const reaches = isInChannel ? await countEveryone(db, viewer, subject, { isOnline: id === 'here', now }) : 0
    entries.push({
      id,
      type: id,
      name: id,
      is_allowed,
      reaches,
      without_access: [],
      without_access_count: 0,
      can_add: false,
    })
  }
  return entries
}

async function listPeople(
  { db, viewer, links }: ReadContext,
  subject: AttentionSubject,
  found: readonly Found[],
  canAdd: boolean,
): Promise<MentionedAudience[]> {
  let room = MAX_LOOKED_AT
  const isLookedAt = found.map(({ members_count = 0 }) => {
    room -= members_count
    return room >= 0
  })
  const asked = (type: Found['type']) =>
    found.flatMap((each, at) => (each.type === type && isLookedAt[at] ? [{ at, key: each.key }] : []))
  const people = { members: asked('member'), groups: asked('group') }
  const { counts, withoutAccess } = await findReached(db, viewer, subject, people)
  const apps = await findReachedApps(
    db,
    subject,
    asked('app').map(({ key }) => key),
  )
  return found.map(({ key, id, type, name, members_count = 0, stored }, at): MentionedAudience => {
    const isReachedApp = apps.has(key)
    const count =
      type === 'app'
        ? { reached: Number(isReachedApp), without_access: Number(!isReachedApp) }
        : (counts.find((each) => each.at === at) ?? { reached: isLookedAt[at] ? 0 : members_count, without_access: 0 })
    const hidden = type === 'app' ? (isReachedApp ? [] : [stored!]) : authorsAt(withoutAccess, at)
    return {
      ...{ id, type, name, is_allowed: true, reaches: Math.min(count.reached, MAX_AUDIENCE_COUNTED) },
      without_access: hidden.map((author) => toAuthor(links, author)),
      without_access_count: Math.min(count.without_access, MAX_AUDIENCE_COUNTED),
      can_add: canAdd && count.without_access > 0,
    }
  })
}

const authorsAt = (rows: readonly { at: number; author: string }[], at: number) =>
  rows.filter((row) => row.at === at).map(({ author }) => author)

const findReachedApps = (
  db: ReadContext['db'],
  { channel_key, thread_key }: AttentionSubject,
  keys: readonly number[],
) => {
  if (keys.length === 0) return new Set<number>()
  return thread_key === 0 ? findChannelAppKeys(db, channel_key, keys) : findThreadAppKeys(db, thread_key, keys)
}
