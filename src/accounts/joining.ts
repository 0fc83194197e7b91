import { fold } from '../contract/browser/fold'
import type { Role } from '../contract/members'
import { avatarOf } from '../domain/avatar'
import { toAuthor } from '../domain/links'
import { setChannelReadOnJoining } from '../store/attention/channel-reads'
import type { ChangeContext } from '../store/changes/change'
import { insertChannelMember, isInChannel } from '../store/content/channel-members'
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

/**
 * Makes someone a member of the workspace, who is none yet, and announces it. Everybody who joins does so here: by an
 * invitation, by an invite link, from the command line or at the first start.
 */
export async function createMember(
  context: ChangeContext,
  { email, name, role }: Newcomer,
): Promise<{ member: MemberRow; author: JoinedAuthor }> {
  const { db, viewer, links, now, newId, nextRevision, announce } = context
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
  const member = (await findMemberByEmail(db, workspace_key, email))!
  announce('member.created', toMember(links, member))
  const joined = (await findAuthor(db, viewer, id))!
  if (role !== 'guest') await joinDefaultChannels(context, joined)
  return { member, author: joined }
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
  const { db, links, now, announce } = context
  await insertChannelMember(db, channel, author, now)
  await setChannelReadOnJoining(db, channel, author.key, (await context.nextRevision()) - 1)
  const joined = toChannel({ ...channel, members_count: channel.members_count + 1 })
  announce(
    'channel.member_added',
    { channel: joined, member: toAuthor(links, author.stored) },
    { channel_key: channel.key, named },
  )
}
