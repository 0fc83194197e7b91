import { expect } from 'bun:test'
import { appAuthor, byId, type Cast, ofPost, post, resolvedPost, sameId, shown } from './cast'
import { type Entries, emptiedLast, returned } from './entry'
import { read, readList, write } from './rules'

const ofResolvedPost = async (cast: Cast) => ({ post_id: (await resolvedPost(cast)).id })

export const posts: Entries<'posts'> = {
  'posts.list': {
    input: shown(post),
    rule: readList('channel'),
    also: {
      'of a channel': {
        input: async (cast) => ({ channel_id: cast.channel.id, shows: (await post(cast)).id }),
        rule: read('channel'),
      },
      'of an author': {
        input: async (cast) => ({ author_id: cast.author.id, shows: (await post(cast)).id }),
        rule: read('people'),
      },
    },
  },
  'posts.get': { input: byId(post), rule: read('channel'), check: sameId },
  'posts.create': {
    input: async ({ channel }) => ({ channel_id: channel.id, content_markdown: 'Lunch?' }),
    rule: write('channel', { unseen: 'invalid_input' }),
    check: ({ content }) => expect(content).toBe('<p>Lunch?</p>'),
    events: { 'post.created': returned },
    again: 'same events',
    also: {
      'that mentions an app': {
        input: async ({ channel, app }) => ({ channel_id: channel.id, content_markdown: `Lunch, <@${app.id}>?` }),
        rule: write('channel', { unseen: 'invalid_input' }),
        events: {
          'post.created': returned,
          'app.mentioned': async ({ cast, output }) => ({
            app: await appAuthor(cast, cast.app.id),
            subject_type: 'post',
            subject: output,
          }),
        },
        again: 'same events',
      },
    },
    random: ({ one, channels, text }) => ({ channel_id: one(channels), content_markdown: text() }),
  },
  'posts.update': {
    input: async (cast) => ({ id: (await post(cast)).id, title: 'Dinner' }),
    rule: write('channel', { isAuthors: true }),
    check: ({ title }) => expect(title).toBe('Dinner'),
    events: { 'post.updated': returned },
    again: 'same events',
    random: ({ one, posts, below, name, text }) => ({
      id: one(posts),
      ...(below(2) ? { title: name() } : { content_markdown: text() }),
    }),
  },
  'posts.delete': {
    input: byId(post),
    rule: write('channel', { isAuthors: true }),
    events: { 'post.deleted': emptiedLast },
    again: 'not_found',
    random: ({ one, posts }) => ({ id: one(posts) }),
  },
  'posts.resolve': {
    input: ofPost,
    rule: write('channel'),
    check: ({ resolution }) => expect(resolution).not.toBeNull(),
    events: { 'post.resolved': returned },
    again: 'same events',
    random: ({ one, posts, comments, below, text }) => ({
      post_id: one(posts),
      comment_id: below(2) ? one(comments) : '',
      content_markdown: below(2) ? text() : '',
    }),
  },
  'posts.getResolution': {
    input: ofResolvedPost,
    rule: read('channel'),
    check: ({ resolved_html }) => expect(resolved_html).toBe('<p>Done.</p>'),
  },
  'posts.unresolve': {
    input: ofResolvedPost,
    rule: write('channel'),
    check: ({ resolution }) => expect(resolution).toBeNull(),
    events: { 'post.unresolved': returned },
    again: 'no event',
    random: ({ one, posts }) => ({ post_id: one(posts) }),
  },
  'posts.check': {
    input: async (cast) => ({ post_id: (await post(cast, '- [ ] Lunch')).id, item: 0, is_checked: true }),
    rule: write('channel', { isAuthors: true }),
    check: ({ content }) => expect(content).toContain('checked'),
    events: { 'post.updated': returned },
    again: 'no event',
    random: ({ one, posts, checkbox }) => ({ post_id: one(posts), ...checkbox() }),
  },
}
