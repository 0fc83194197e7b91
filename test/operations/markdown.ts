import { expect } from 'bun:test'
import { comment, message, post, shownByIds } from './cast'
import type { Entries } from './entry'
import { readList, write } from './rules'

export const markdown: Entries<'markdown'> = {
  'markdown.list': {
    input: shownByIds(post),
    rule: readList('channel'),
    also: {
      'of comments': { input: shownByIds(comment), rule: readList('channel') },
      'of messages': { input: shownByIds(message), rule: readList('thread') },
    },
  },
  'markdown.render': {
    input: async ({ member }) => ({ content_markdown: `*Hi* <@${member.id}>` }),
    rule: write('self'),
    check: ({ content }) => expect(content).toMatch(/^<p><em>Hi<\/em> <a class="mention" .+>@Ada Lovelace<\/a><\/p>$/),
    events: {},
    again: 'same events',
    random: 'none: it changes nothing',
  },
}
