import { type Cast, ofPost, post } from './cast'
import type { Done, Entries } from './entry'
import { read, write } from './rules'

async function pinnedPost(cast: Cast) {
  const { id } = await post(cast)
  await cast.author.pins.set({ post_id: id })
  return { post_id: id }
}
const current = ({ cast, input }: Done<'pins.set' | 'pins.unset'>) => cast.author.posts.get({ id: input.post_id })

export const pins: Entries<'pins'> = {
  'pins.list': {
    input: async (cast) => ({ channel_id: cast.channel.id, shows: (await pinnedPost(cast)).post_id }),
    rule: read('channel'),
  },
  'pins.set': {
    input: ofPost,
    rule: write('channel'),
    events: { 'post.pinned': current },
    again: 'no event',
    random: ({ one, posts }) => ({ post_id: one(posts) }),
  },
  'pins.unset': {
    input: pinnedPost,
    rule: write('channel'),
    events: { 'post.unpinned': current },
    again: 'no event',
    random: ({ one, posts }) => ({ post_id: one(posts) }),
  },
}
