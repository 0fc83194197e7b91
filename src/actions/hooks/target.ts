import type { Input } from '../../contract'
import { invalidField, Problem } from '../../contract/errors'
import { canHaveHooks } from '../../domain/hooks'
import { canManage } from '../../domain/permissions'
import { isInChannel } from '../../store/channel-members'
import { findChannel } from '../../store/channels'
import type { HookRow } from '../../store/hooks'
import { findCommentedPost } from '../../store/posts'
import { findThread } from '../../store/threads'
import type { WriteContext } from '../context'

type Target = Pick<HookRow, 'channel_key' | 'post_key' | 'thread_key' | 'target_id'>

/** Where a new hook is to write. Its maker has to be able to write there; a member has to be in the channel. */
export async function findTarget(context: WriteContext, input: Input<'hooks.create'>): Promise<Target> {
  const { db, viewer } = context
  const { channel_id, post_id, thread_id } = input
  if ([channel_id, post_id, thread_id].filter((id) => id !== undefined).length !== 1)
    throw invalidField('channel_id', 'Send one of `channel_id`, `post_id` and `thread_id`.')

  const nowhere = { channel_key: 0, post_key: 0, thread_key: 0 }
  if (thread_id !== undefined) {
    const thread = await findThread(db, viewer, thread_id)
    if (!thread) throw invalidField('thread_id', 'There is no such thread, or you do not take part in it.')
    return { ...nowhere, thread_key: thread.key, target_id: thread.id }
  }
  if (post_id !== undefined) {
    const post = await findCommentedPost(db, viewer, post_id)
    if (!post) throw invalidField('post_id', 'There is no such post, or you do not have access to it.')
    await requireMembership(context, post.channel_key)
    return { ...nowhere, channel_key: post.channel_key, post_key: post.key, target_id: post_id }
  }
  const channel = await findChannel(db, viewer, channel_id!)
  if (!channel) throw invalidField('channel_id', 'There is no such channel, or you do not have access to it.')
  await requireMembership(context, channel.key)
  return { ...nowhere, channel_key: channel.key, target_id: channel_id! }
}

export function requireRole({ viewer }: WriteContext) {
  if (canHaveHooks(viewer.role)) return
  throw new Problem('forbidden', 'Only admins and members can have incoming webhooks. Apps post with their own token.')
}

async function requireMembership(context: WriteContext, channelKey: number) {
  const { db, viewer } = context
  // First: to those who cannot have one, joining is of no use.
  requireRole(context)
  if (canManage(viewer) || (await isInChannel(db, channelKey, viewer.author.key))) return
  throw new Problem(
    'forbidden',
    'Join the channel first: only its members and admins can make incoming webhooks for it.',
  )
}
