import type { Input } from '../contract'
import { notFound, Problem } from '../contract/errors'
import { MAX_PINS } from '../contract/pins'
import { findChannel } from '../store/content/channels'
import { countPins, deletePin, insertPin, isPinned, listPins } from '../store/content/pins'
import { toPost } from '../store/content/posts'
import type { WriteContext } from './context'
import { listOf } from './list'
import { getPost } from './posts'

export const list = listOf('pins.list', async ({ db, viewer, links }, { channel_id }, request) => {
  const channel = await findChannel(db, viewer, channel_id)
  if (!channel) throw notFound('channel')

  return listPins(db, links.base, viewer, channel, request)
})

export async function set(context: WriteContext, { post_id }: Input<'pins.set'>) {
  const { db, viewer, now, announce } = context
  const post = await getPost(context, post_id)
  if (await isPinned(db, post.key)) return undefined
  if ((await countPins(db, post)) >= MAX_PINS)
    throw new Problem('too_many_pins', `A channel can have at most ${MAX_PINS} pinned posts. Unpin one first.`)

  await insertPin(db, post, viewer.author.key, now)
  announce('post.pinned', toPost(post), { channel_key: post.channel_key })
  return undefined
}

export async function unset(context: WriteContext, { post_id }: Input<'pins.unset'>) {
  const post = await getPost(context, post_id)
  if (!(await isPinned(context.db, post.key))) return undefined

  await deletePin(context.db, post.key)
  context.announce('post.unpinned', toPost(post), { channel_key: post.channel_key })
  return undefined
}
