import type { Input } from '../contract'
import { notFound } from '../contract/errors'
import type { Follow } from '../contract/follows'
import type { AttentionSubject } from '../domain/references'
import { findVisible } from '../store/access/references'
import { findFollow, resetFollow, setFollow } from '../store/attention/follows'
import { requireMember } from './access'
import type { ReadContext, WriteContext } from './context'

type Lookup = Pick<ReadContext | WriteContext, 'db' | 'viewer'>

export async function get(context: ReadContext, { subject_id }: Input<'follows.get'>) {
  return toFollow(context, await getSubject(context, subject_id))
}

export async function set(context: WriteContext, { subject_id, level }: Input<'follows.set'>) {
  const subject = await getSubject(context, subject_id)
  const follow = await toFollow(context, subject)
  if (follow.is_chosen && follow.level === level) return follow

  await setFollow(context.db, context.viewer, subject, level)
  return announceFollow(context, subject)
}

export async function reset(context: WriteContext, { subject_id }: Input<'follows.reset'>) {
  const subject = await getSubject(context, subject_id)
  const follow = await toFollow(context, subject)
  if (!follow.is_chosen) return follow

  await resetFollow(context.db, context.viewer, subject)
  return announceFollow(context, subject)
}

async function getSubject({ db, viewer }: Lookup, id: string): Promise<AttentionSubject> {
  requireMember(viewer, 'Only members follow posts, threads and channels; apps do not.')
  const subject = await findVisible(db, viewer, id, ['post', 'thread', 'channel'])
  if (!subject) throw notFound('post, thread or channel')
  return subject
}

async function toFollow({ db, viewer }: Lookup, subject: AttentionSubject): Promise<Follow> {
  const { level, isChosen } = await findFollow(db, viewer, subject)
  return { subject_id: subject.id, level, is_chosen: isChosen }
}

async function announceFollow(context: WriteContext, subject: AttentionSubject): Promise<Follow> {
  const follow = await toFollow(context, subject)
  context.announce('follow.updated', follow, { recipients: [context.viewer.author.key] })
  return follow
}
