import { Problem } from '../../contract/errors'
import type { HookPost } from '../../contract/hooks'
import { canHaveHooks, type HookText, withTitle } from '../../domain/hooks'
import type { Viewer } from '../../domain/permissions'
import { findChannel } from '../../store/channels'
import type { HookCaller } from '../../store/hooks'
import { findCommentedPost } from '../../store/posts'
import { findThread } from '../../store/threads'
import { toViewer } from '../../store/viewers'
import * as comments from '../comments'
import type { WriteContext } from '../context'
import * as messages from '../messages'
import * as posts from '../posts'

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
