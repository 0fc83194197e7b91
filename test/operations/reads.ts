import { message, nothing, ofSubject, post, thread, unreadPost } from './cast'
import type { Done, Entries } from './entry'
import { writeOwn } from './rules'

const change = ({ input }: Done<'reads.set' | 'reads.unset'>) => ({ subject_id: input.subject_id })

export const reads: Entries<'reads'> = {
  'reads.set': {
    input: ofSubject(unreadPost),
    rule: writeOwn('channel'),
    events: { 'read.updated': change },
    again: 'no event',
    also: {
      'of a thread': {
        input: ofSubject(thread),
        rule: writeOwn('thread'),
        // Its author has read it.
        events: {},
        again: 'same events',
      },
      'of a channel': {
        input: async (cast) => unreadPost(cast).then(() => ({ subject_id: cast.channel.id })),
        rule: writeOwn('channel'),
        events: { 'read.updated': change },
        again: 'no event',
      },
    },
    random: ({ subject }) => ({ subject_id: subject() }),
  },
  'reads.unset': {
    input: ofSubject(post),
    rule: writeOwn('channel'),
    events: { 'read.updated': change },
    again: 'no event',
    also: {
      'of a thread': {
        input: async (cast) => ({ subject_id: (await message(cast)).thread_id }),
        rule: writeOwn('thread'),
        events: { 'read.updated': change },
        again: 'no event',
      },
    },
    random: ({ subject }) => ({ subject_id: subject() }),
  },
  'reads.setAll': {
    input: (cast) => unreadPost(cast).then(nothing),
    rule: writeOwn('self'),
    events: { 'read.updated': () => ({ subject_id: null }) },
    again: 'no event',
    random: () => ({}),
  },
}
