import type { Input } from '../contract'
import { notFound, Problem } from '../contract/errors'
import type { AttentionSubject } from '../domain/references'
import { findVisible } from '../store/access/references'
import { compactChannel, hasActivityAfter, hasAnyActivityAfter } from '../store/attention/channel-reads'
import { hasUnreadEntries } from '../store/attention/inbox-list'
import {
  clearMarks,
  findNextRevision,
  findReadRevision,
  findReadState,
  positionOf,
  type ReadState,
  setEverythingRead,
  setRead,
  setUnread,
} from '../store/attention/reads'
import { findComment } from '../store/content/comments'
import { findMessage } from '../store/content/messages'
import { requireMember } from './access'
import type { WriteContext } from './context'

const APPS_READ_NOTHING = 'Only members mark what they have read; apps do not.'

export async function set(context: WriteContext, { subject_id, up_to_id }: Input<'reads.set'>) {
  const subject = await getSubject(context, subject_id)
  if (subject.kind !== 'channel') return readSubject(context, subject, up_to_id)
  if (up_to_id !== undefined) throw noItem('body', 'up_to_id')
  return readChannel(context, subject)
}

/** Marks a post or a thread as read. What was read before stays read, unless it was marked as unread since. */
async function readSubject(context: WriteContext, subject: AttentionSubject, upToId: string | undefined) {
  const { db, viewer } = context
  const present = (await context.nextRevision()) - 1
  const item = upToId === undefined ? present : await findRevision(context, subject, upToId, 'body', 'up_to_id')
  // Everything before the next comment or message is read with this one, such as a resolution. After the last one that is
  // all there is: also what only told of it, such as a mention that was added later.
  const next = item < subject.activity_revision ? await findNextRevision(db, subject, item) : undefined
  const upTo = next === undefined ? present : next - 1
  const state = await findReadState(db, viewer, subject)
  const position = positionOf(state)
  const hasEntries = state.entries.some(({ is_unread, revision }) => is_unread && revision <= upTo)
  if (!hasEntries && (position >= subject.activity_revision || upTo <= position)) return undefined

  // Where more of it was read before it was marked as unread, what follows stays marked.
  await setRead(db, viewer, subject, Math.max(position, upTo), state.isMarkedUnread && upTo < state.others)
  if (subject.kind === 'post') await compactChannel(db, viewer, subject.channel_key, state.others, present)
  announceRead(context, subject.id, hasEntries)
  return undefined
}

async function readChannel(context: WriteContext, channel: AttentionSubject) {
  const { db, viewer } = context
  const state = await findReadState(db, viewer, channel)
  const hasEntries =
    state.entries.some(({ is_unread }) => is_unread) || (await hasUnreadEntries(db, viewer, channel.key))
  const hasMarks = await clearMarks(db, viewer, 'read_positions', channel.key)
  if (!hasMarks && !hasEntries && !(await hasActivityAfter(db, channel.key, state.others))) return undefined

  await clearMarks(db, viewer, 'inbox_entries', channel.key)
  await setRead(db, viewer, channel, (await context.nextRevision()) - 1)
  announceRead(context, channel.id, hasEntries)
  return undefined
}

export async function unset(context: WriteContext, { subject_id, from_id }: Input<'reads.unset'>) {
  const { db, viewer } = context
  const subject = await getSubject(context, subject_id)
  if (subject.kind === 'channel')
    throw new Problem('invalid_input', 'A channel cannot be marked as unread. Mark one of its posts.', [
      { in: 'path', name: 'subject_id', message: 'This is a channel. Mark one of its posts as unread.' },
    ])
  const from =
    from_id === undefined
      ? subject.activity_revision
      : await findRevision(context, subject, from_id, 'query', 'from_id')
  const state = await findReadState(db, viewer, subject)
  const entries = entriesFrom(state, from)
  const hasRead = entries.some(({ is_unread }) => !is_unread)
  if (positionOf(state) === from - 1 && !hasRead) return undefined

  await setUnread(
    db,
    viewer,
    subject,
    from - 1,
    entries.map(({ key }) => key),
  )
  announceRead(context, subject.id, hasRead)
  return undefined
}

/** The entries that become unread with a post or thread: those of what is unread then, or else the latest. Reactions are not. */
function entriesFrom({ entries }: ReadState, from: number) {
  const able = entries.filter(({ about }) => about !== 'reaction').sort((one, other) => other.revision - one.revision)
  const since = able.filter(({ revision }) => revision >= from)
  return since.length > 0 ? since : able.slice(0, 1)
}

export async function setAll(context: WriteContext) {
  const { db, viewer } = context
  requireMember(viewer, APPS_READ_NOTHING)
  const hasEntries = await hasUnreadEntries(db, viewer)
  const hasMarks = await clearMarks(db, viewer, 'read_positions')
  const everything = await findReadRevision(db, viewer)
  if (!hasMarks && !hasEntries && !(await hasAnyActivityAfter(db, viewer, everything))) return undefined

  await clearMarks(db, viewer, 'inbox_entries')
  await setEverythingRead(db, viewer, (await context.nextRevision()) - 1)
  announceRead(context, null, hasEntries)
  return undefined
}

async function getSubject({ db, viewer }: WriteContext, id: string): Promise<AttentionSubject> {
  requireMember(viewer, APPS_READ_NOTHING)
  const subject = await findVisible(db, viewer, id, ['post', 'thread', 'channel'])
  if (!subject) throw notFound('post, thread or channel')
  return subject
}

/** The revision of a comment of this post, or of a message of this thread. */
async function findRevision(
  { db, viewer, links }: WriteContext,
  { kind, key }: AttentionSubject,
  id: string,
  where: 'body' | 'query',
  name: string,
): Promise<number> {
  if (kind === 'post') {
    const comment = await findComment(db, viewer, links.base, id)
    if (comment?.post_key === key) return comment.revision
  } else {
    const message = await findMessage(db, viewer, links.base, id)
    if (message?.thread_key === key) return message.revision
  }
  throw noItem(where, name)
}

function noItem(where: 'body' | 'query', name: string) {
  const message = 'There is no such comment on this post, or message in this thread.'
  return new Problem('invalid_input', `${name}: ${message}`, [{ in: where, name, message }])
}

function announceRead({ viewer, announce }: WriteContext, subject_id: string | null, hasEntryChanged: boolean) {
  const recipients = [viewer.author.key]
  announce('read.updated', { subject_id }, { recipients })
  if (hasEntryChanged) announce('inbox.updated', { subject_id }, { recipients })
}
