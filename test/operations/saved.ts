import { expect } from 'bun:test'
import { type Cast, nothing, ofPost, someRecords } from './cast'
import type { Entries } from './entry'
import { readOwn, writeOwn } from './rules'

async function savedPost(cast: Cast) {
  const input = await ofPost(cast)
  await cast.author.saved.set(input)
  return input
}

export const saved: Entries<'saved'> = {
  'saved.list': { input: (cast) => savedPost(cast).then(nothing), rule: readOwn('self'), check: someRecords },
  'saved.set': {
    input: ofPost,
    rule: writeOwn('channel'),
    check: ({ post: { id } }, { post_id }) => expect(id).toBe(post_id),
    events: {
      'saved.updated': ({ output: { post, saved_at, remind_at } }) => ({ post_id: post.id, saved_at, remind_at }),
    },
    again: 'no event',
    random: ({ one, posts }) => ({ post_id: one(posts) }),
  },
  'saved.unset': {
    input: savedPost,
    rule: writeOwn('channel'),
    events: { 'saved.updated': ({ input: { post_id } }) => ({ post_id, saved_at: null, remind_at: null }) },
    again: 'no event',
    random: ({ one, posts }) => ({ post_id: one(posts) }),
  },
}
