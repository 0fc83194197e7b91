import { expect } from 'bun:test'
import { ofSubject, post, thread } from './cast'
import type { Entries } from './entry'
import { read } from './rules'

export const audience: Entries<'audience'> = {
  'audience.get': {
    input: async ({ channel }) => ({ subject_id: channel.id, ids: ['channel'] }),
    rule: read('channel'),
    check: ({ mentioned }) => expect(mentioned).toMatchObject([{ id: 'channel', type: 'channel' }]),
    also: {
      'of a comment': { input: ofSubject(post), rule: read('channel') },
      'of a message': { input: ofSubject(thread), rule: read('thread') },
    },
  },
}
