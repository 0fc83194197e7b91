import { expect } from 'bun:test'
import { byId, message, sameId, thread } from './cast'
import { type Entries, emptiedLast, returned } from './entry'
import { read, write } from './rules'

export const messages: Entries<'messages'> = {
  'messages.list': {
    input: async (cast) => {
      const { id, thread_id } = await message(cast)
      return { thread_id, shows: id }
    },
    rule: read('thread'),
  },
  'messages.get': { input: byId(message), rule: read('thread'), check: sameId },
  'messages.create': {
    input: async (cast) => ({ thread_id: (await thread(cast)).id, content_markdown: 'Hi' }),
    rule: write('thread'),
    check: ({ thread_id }, input) => expect(thread_id).toBe(input.thread_id),
    events: { 'message.created': returned },
    again: 'same events',
    random: ({ one, threads, messages, below, text }) => ({
      thread_id: one(threads),
      parent_id: below(2) ? one(messages) : '',
      content_markdown: text(),
    }),
  },
  'messages.createDirect': {
    input: async ({ member }) => ({ member_id: member.id, content_markdown: 'Hi' }),
    rule: write('people'),
    check: ({ content }) => expect(content).toBe('<p>Hi</p>'),
    events: {
      'thread.created': ({ output: { thread_id } }) => expect.objectContaining({ id: thread_id, is_direct: true }),
      'message.created': returned,
    },
    again: ['message.created'],
    random: ({ one, members, name }) => ({ member_id: one(members), content_markdown: name() }),
  },
  'messages.update': {
    input: async (cast) => ({ id: (await message(cast)).id, content_markdown: 'Ho' }),
    rule: write('thread', { isAuthors: true }),
    check: ({ content }) => expect(content).toBe('<p>Ho</p>'),
    events: { 'message.updated': returned },
    again: 'same events',
    random: ({ one, messages, text }) => ({ id: one(messages), content_markdown: text() }),
  },
  'messages.delete': {
    input: byId(message),
    rule: write('thread', { isAuthors: true }),
    events: { 'message.deleted': emptiedLast },
    again: 'not_found',
    random: ({ one, messages }) => ({ id: one(messages) }),
  },
}
