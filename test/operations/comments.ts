import { expect } from 'bun:test'
import { byId, comment, ofPost, sameId } from './cast'
import { type Entries, emptiedLast, returned } from './entry'
import { read, write } from './rules'

export const comments: Entries<'comments'> = {
  'comments.list': {
    input: async (cast) => {
      const { id, subject_id } = await comment(cast)
      return { post_id: subject_id, shows: id }
    },
    rule: read('channel'),
  },
  'comments.get': { input: byId(comment), rule: read('channel'), check: sameId },
  'comments.create': {
    input: async (cast) => ({ ...(await ofPost(cast)), content_markdown: 'Noon.' }),
    rule: write('channel'),
    check: ({ subject_id }, { post_id }) => expect(subject_id).toBe(post_id),
    events: { 'comment.created': returned },
    again: 'same events',
    random: ({ one, posts, comments, below, text }) => ({
      post_id: one(posts),
      parent_id: below(2) ? one(comments) : '',
      content_markdown: text(),
    }),
  },
  'comments.update': {
    input: async (cast) => ({ id: (await comment(cast)).id, content_markdown: 'One.' }),
    rule: write('channel', { isAuthors: true }),
    check: ({ content }) => expect(content).toBe('<p>One.</p>'),
    events: { 'comment.updated': returned },
    again: 'same events',
    random: ({ one, comments, text }) => ({ id: one(comments), content_markdown: text() }),
  },
  'comments.delete': {
    input: byId(comment),
    rule: write('channel', { isAuthors: true }),
    events: { 'comment.deleted': emptiedLast },
    again: 'not_found',
    random: ({ one, comments }) => ({ id: one(comments) }),
  },
  'comments.check': {
    input: async (cast) => ({ comment_id: (await comment(cast, '- [ ] Lunch')).id, item: 0, is_checked: true }),
    rule: write('channel', { isAuthors: true }),
    check: ({ content }) => expect(content).toContain('checked'),
    events: { 'comment.updated': returned },
    again: 'no event',
    random: ({ one, comments, checkbox }) => ({ comment_id: one(comments), ...checkbox() }),
  },
}
