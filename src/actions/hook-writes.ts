import type { Input } from '../contract'
import { invalidField, Problem } from '../contract/errors'
import type { HookPost } from '../contract/hooks'
import { canHaveHooks, type HookText, withTitle } from '../domain/hooks'
import type { Viewer } from '../domain/permissions'
import { findChannel } from '../store/content/channels'
import { findCommentedPost } from '../store/content/posts'
import { findThread } from '../store/content/threads'
import { toViewer } from '../store/people/authors'
import type { HookCaller, HookRow } from '../store/webhooks/hooks'
import * as comments from './comments'
import type { WriteContext } from './context'
import * as messages from './messages'
import * as posts from './posts'

/** Who writes: the hook's app, with the access that its owner has at this moment. */
export function toHookViewer(caller: HookCaller): Viewer {
  if (caller.is_deactivated || !canHaveHooks(caller.role))
    throw new Problem('forbidden', 'The owner of this incoming webhook may no longer write in this workspace.')
  return { ...toViewer(caller, ['write']), ownerKey: caller.owner_key }
}

/** Writes a text where the hook writes, as the viewer that `toHookViewer` gives. */
export async function writeAsHook(context: WriteContext, hook: HookCaller, text: HookText): Promise<HookPost> {
  const { db, viewer, links } = context
  const { target_id } = hook
  if (hook.thread_key !== 0) {
    if (!(await findThread(db, viewer, target_id))) throw gone('thread')
    const { id } = await messages.create(context, { thread_id: target_id, content_markdown: withTitle(text) })
    return { type: 'message', id, url: `${links.thread(target_id)}#${id}` }
  }
  if (hook.post_key !== 0) {
    if (!(await findCommentedPost(db, viewer, target_id))) throw gone('post')
    const { id } = await comments.create(context, { post_id: target_id, content_markdown: withTitle(text) })
    return { type: 'comment', id, url: `${links.post(target_id)}#${id}` }
  }
  if (!(await findChannel(db, viewer, target_id))) throw gone('channel')
  const { id } = await posts.create(context, {
    channel_id: target_id,
    content_markdown: text.markdown,
    title: text.title,
  })
  return { type: 'post', id, url: links.post(id) }
}

const gone = (what: 'channel' | 'post' | 'thread') =>
  new Problem(
    'not_found',
    `The ${what} this incoming webhook writes to was deleted or archived, or its owner can no longer see it.`,
  )

type Target = Pick<HookRow, 'channel_key' | 'post_key' | 'thread_key' | 'target_id'>

/** Where a new hook is to write: anywhere its maker can write. */
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
    return { ...nowhere, channel_key: post.channel_key, post_key: post.key, target_id: post_id }
  }
  const channel = await findChannel(db, viewer, channel_id!)
  if (!channel) throw invalidField('channel_id', 'There is no such channel, or you do not have access to it.')
  return { ...nowhere, channel_key: channel.key, target_id: channel_id! }
}

export function requireRole({ viewer }: WriteContext) {
  if (canHaveHooks(viewer.role)) return
  throw new Problem('forbidden', 'Only admins and members can have incoming webhooks. Apps post with their own token.')
}
