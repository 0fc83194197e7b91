import { fold } from '../contract/browser/fold'
import type { Role } from '../contract/members'
import { avatarOf } from '../domain/avatar'
import { toAuthor } from '../domain/links'
import { setVisibilityHashes } from '../store/access/visibility-hash'
import { setChannelReadOnJoining } from '../store/attention/channel-reads'
import type { ChangeContext } from '../store/changes/change'
import { insertChannelMember, insertChannelMembers, isInChannel } from '../store/content/channel-members'
import { type ActiveChannelRow, listDefaultChannels, toChannel } from '../store/content/channels'
import { findAuthor, insertAuthor } from '../store/people/authors'
import {
  findMemberByEmail,
  findOrInsertUser,
  insertMember,
  type MemberRow,
  searchTextOf,
  toMember,
} from '../store/people/members'
import { addToWorkspace, memberCounter } from '../store/people/workspaces'

/** Someone who is about to become a member. The name and the address are as they are stored. */
export interface Newcomer {
  email: string
  name: string
  role: Role
}

/** A member or an app, as those who come into a channel. */
export interface JoinedAuthor {
  key: number
  id: string
  stored: string
}

/** Someone who has just become a member. */
export interface NewMember {
  member: MemberRow
  author: JoinedAuthor
}

/** Makes one person a member, who joins the default channels, unless they are a guest. */
export async function createMember(context: ChangeContext, newcomer: Newcomer): Promise<NewMember> {
  const [created] = await createMembers(context, [newcomer], await findChannelsOnJoining(context, newcomer.role))
  return created!
}

/** The channels that people of a role are in once they have joined: the default channels, unless they are guests, and others. */
export async function findChannelsOnJoining(
  { db, viewer }: Pick<ChangeContext, 'db' | 'viewer'>,
  role: Role,
  others: readonly ActiveChannelRow[] = [],
): Promise<ActiveChannelRow[]> {
  const defaults = role === 'guest' ? [] : await listDefaultChannels(db, viewer.workspace.key)
  return [...new Map([...defaults, ...others].map((channel) => [channel.key, channel])).values()]
}

/**
 * Makes people members of the workspace, who are none yet, adds them to channels, and announces both. Everybody who joins does so
 * here: by an invitation, by an invite link, from the command line or at the first start. Their inboxes do not mention it, and what
 * is in the channels is read, as all of the workspace is.
 */
export async function createMembers(
  context: ChangeContext,
  newcomers: readonly Newcomer[],
  channels: readonly ActiveChannelRow[],
): Promise<NewMember[]> {
  const { db, links, now, announce } = context
  const created: NewMember[] = []
  for (const newcomer of newcomers) {
    const { member, author } = await insertNewMember(context, newcomer)
    created.push({ member, author })
    announce('member.created', toMember(links, member))
    for (const channel of channels) announceJoin(context, channel, author, created.length)
    // Others have their turn, as many may join at once.
    if (newcomers.length > 1) await new Promise(setImmediate)
  }
  const authors = created.map(({ author }) => author)
  for (const channel of channels) await insertChannelMembers(db, channel, authors, now)
  await setVisibilityHashes(
    db,
    authors.map(({ key }) => key),
  )
  return created
}

async function insertNewMember(context: ChangeContext, { email, name, role }: Newcomer): Promise<NewMember> {
  const { db, viewer, now, newId, nextRevision } = context
  const workspace_key = viewer.workspace.key
  const id = newId('mem')
  const user = await findOrInsertUser(db, { id: newId('user'), email, created_at: now })
  const author = await insertAuthor(db, { workspace_key, id, type: 'member', name, avatar: avatarOf(id, name) })
  await insertMember(db, user, {
    author_key: author.key,
    workspace_key,
    id,
    user_id: newId('user'),
    role,
    created_at: now,
    read_revision: await nextRevision(),
    invited_by_key: viewer.author.key,
    search_text: searchTextOf(fold(name), fold(email)),
  })
  await addToWorkspace(db, workspace_key, memberCounter[role], 1)
  return {
    member: (await findMemberByEmail(db, workspace_key, email))!,
    author: (await findAuthor(db, viewer, id))!,
  }
}

/** Adds somebody who is no guest, or no longer one, to the default channels. Their inbox does not mention it. */
export async function joinDefaultChannels(context: ChangeContext, author: JoinedAuthor) {
  const { db, viewer } = context
  for (const channel of await listDefaultChannels(db, viewer.workspace.key))
    await addToChannel(context, channel, author)
}

/** Adds someone who has just joined to a channel, unless they are in it. Their inbox does not mention it. */
export async function addToChannel(context: ChangeContext, channel: ActiveChannelRow, author: JoinedAuthor) {
  if (!(await isInChannel(context.db, channel.key, author.key))) await enterChannel(context, channel, author)
}

/** Makes somebody a member of a channel they are not in, and announces it. Those who are `named` find it in their inbox. */
export async function enterChannel(
  context: ChangeContext,
  channel: ActiveChannelRow,
  author: JoinedAuthor,
  named: readonly number[] = [],
) {
  const { db, now } = context
  await insertChannelMember(db, channel, author, now)
  await setChannelReadOnJoining(db, channel, author.key, (await context.nextRevision()) - 1)
  announceJoin(context, channel, author, 1, named)
}

/** Announces somebody who came into a channel, as one of so many since its row was read. */
function announceJoin(
  { links, announce }: ChangeContext,
  channel: ActiveChannelRow,
  author: JoinedAuthor,
  added: number,
  named: readonly number[] = [],
) {
  const joined = toChannel({ ...channel, members_count: channel.members_count + added })
  announce(
    'channel.member_added',
    { channel: joined, member: toAuthor(links, author.stored) },
    { channel_key: channel.key, named },
  )
}
