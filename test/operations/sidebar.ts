import { expect } from 'bun:test'
import { type Cast, newChannel, nothing } from './cast'
import type { Entries } from './entry'
import { readOwn, writeOwn } from './rules'

const ofNewChannel = async (cast: Cast) => ({ channel_id: (await newChannel(cast)).id })

async function favorite(cast: Cast) {
  const { id: channel_id } = cast.channel
  await cast.author.sidebar.set({ channel_id, is_favorite: true })
  return { channel_id }
}

export const sidebar: Entries<'sidebar'> = {
  'sidebar.get': {
    input: nothing,
    rule: readOwn('self'),
    check: (output) => expect(output).toEqual({ favorite_ids: [], channel_ids: [] }),
  },
  'sidebar.set': {
    input: async (cast) => ({ ...(await ofNewChannel(cast)), is_favorite: true }),
    rule: writeOwn('channel'),
    check: ({ favorite_ids }, { channel_id }) => expect(favorite_ids).toContain(channel_id),
    events: { 'sidebar.updated': ({ input: { channel_id } }) => ({ channel_id }) },
    again: 'no event',
    random: ({ one, channels, below }) => ({ channel_id: one(channels), is_favorite: below(2) === 1, before_id: null }),
  },
  'sidebar.reset': {
    input: favorite,
    rule: writeOwn('channel'),
    check: ({ favorite_ids }, { channel_id }) => expect(favorite_ids).not.toContain(channel_id),
    events: { 'sidebar.updated': ({ input: { channel_id } }) => ({ channel_id }) },
    again: 'no event',
    random: ({ one, channels }) => ({ channel_id: one(channels) }),
  },
}
