import { expect } from 'bun:test'
import { byId, memberAuthor, sameId, shown, thread } from './cast'
import { type Done, type Entries, returned } from './entry'
import { anyRole, read, readList, write } from './rules'

/** Who was added or removed, and the thread since then. */
const membership = async ({ cast, input }: Done<'threads.addMember' | 'threads.removeMember'>) => ({
  thread: await cast.author.threads.get({ id: input.thread_id }),
  member: await memberAuthor(cast, input.member_id),
})

export const threads: Entries<'threads'> = {
  'threads.list': { input: shown(thread), rule: readList('thread') },
  'threads.get': { input: byId(thread), rule: read('thread'), check: sameId },
  'threads.create': {
    input: async ({ member }) => ({ member_ids: [member.id] }),
    rule: write('people', { unseen: 'invalid_input' }),
    check: ({ members }) => expect(members).toHaveLength(2),
    events: { 'thread.created': returned },
    again: 'same events',
    random: ({ one, members, someone }) => ({ member_ids: [one(members), someone()] }),
  },
  'threads.addMember': {
    input: async (cast) => ({ thread_id: (await thread(cast)).id, member_id: cast.third.id }),
    rule: write('thread'),
    events: { 'thread.member_added': membership },
    again: 'no event',
    random: ({ one, threads, someone }) => ({ thread_id: one(threads), member_id: someone() }),
  },
  'threads.removeMember': {
    async input({ author, other, third }) {
      const { id } = await author.threads.create({ member_ids: [other.id, third.id] })
      return { thread_id: id, member_id: third.id }
    },
    rule: write('thread', { isAuthors: true }),
    events: { 'thread.member_removed': membership, 'access.lost': 'unseen', 'inbox.updated': 'unseen' },
    again: 'not_found',
    random: ({ one, threads, someone }) => ({ thread_id: one(threads), member_id: someone() }),
  },
  'threads.leave': {
    input: async (cast) => ({ thread_id: (await thread(cast)).id }),
    rule: anyRole('thread'),
    events: {
      // Nothing else is seen of a thread that one has left.
      'thread.member_removed': 'unseen',
      'access.lost': ({ input }) => ({ subject_type: 'thread', subject_id: input.thread_id, reason: 'left' }),
      'inbox.updated': ({ input }) => ({ subject_id: input.thread_id }),
    },
    again: 'not_found',
    random: ({ one, threads }) => ({ thread_id: one(threads) }),
  },
}
