import { followLevels } from '../../src/contract/follows'
import { ofSubject, post, thread } from './cast'
import { type Entries, returned } from './entry'
import { readOwn, writeOwn } from './rules'

const ofPost = ofSubject(post)

export const follows: Entries<'follows'> = {
  'follows.get': { input: ofPost, rule: readOwn('channel') },
  'follows.set': {
    input: async (cast) => ({ ...(await ofPost(cast)), level: 'none' }),
    rule: writeOwn('channel'),
    events: { 'follow.updated': returned },
    again: 'no event',
    also: {
      'a thread': {
        input: async (cast) => ({ subject_id: (await thread(cast)).id, level: 'none' }),
        rule: writeOwn('thread'),
        events: { 'follow.updated': returned },
        again: 'no event',
      },
    },
    random: ({ subject, pick }) => ({ subject_id: subject(), level: pick(followLevels) }),
  },
  'follows.reset': {
    async input(cast) {
      const { subject_id } = await ofPost(cast)
      await cast.author.follows.set({ subject_id, level: 'none' })
      return { subject_id }
    },
    rule: writeOwn('channel'),
    events: { 'follow.updated': returned },
    again: 'no event',
    random: ({ subject }) => ({ subject_id: subject() }),
  },
}
