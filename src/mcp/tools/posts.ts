import Type from 'typebox'
import { contract } from '../../contract'
import { kindOf } from '../../contract/browser/kinds'
import type { Comment } from '../../contract/comments'
import { invalidField } from '../../contract/errors'
import type { Post } from '../../contract/posts'
import { reactionSubjects } from '../../contract/reactions'
import { MAX_TEXT_LENGTH } from '../../contract/shapes'
import {
  describePage,
  itemText,
  lean,
  postLine,
  quote,
  quoteName,
  reactionsText,
  shortenAll,
  stateOf,
  tellUnreached,
  toExcerpt,
  type WithText,
  when,
  withText,
} from '../text'
import {
  describe,
  file_ids,
  MarkdownOrFiles,
  PAGE_SIZE,
  pageFields,
  pageOf,
  paging,
  record,
  recordsOf,
  tool,
} from '../tool'
import { Channel, findChannel } from './channels'

const { list, create } = contract.posts
const PostId = Type.String({ description: 'post_…' })

export const listPosts = tool({
  name: 'list_posts',
  title: 'List posts',
  description: 'List posts with the beginning of their text.',
  input: {
    channel: Type.Optional(Channel),
    author_id: describe(list.query.properties.author_id, 'mem_… or app_…'),
    resolved: describe(list.query.properties.resolved, 'Only resolved ones, or only open ones.'),
    sort: describe(list.query.properties.sort),
    ...paging,
  },
  output: { posts: recordsOf('title', 'url', 'excerpt'), ...pageFields },
  async run(api, { channel, limit = PAGE_SIZE, ...query }) {
    const channel_id = channel === undefined ? undefined : (await findChannel(api, channel)).id
    const page = await api.call('posts.list', { ...query, limit, channel_id })
    const posts = page.data.map(toExcerpt)
    const lines = [describePage(page, posts.length, 'post'), ...posts.map(postLine)]
    return { text: lines.join('\n\n'), data: { posts, ...pageOf(page) } }
  },
})

export const readPost = tool({
  name: 'read_post',
  title: 'Read a post',
  description: 'Read a post, its resolution and its comments, oldest first.',
  input: { post_id: PostId, ...paging },
  output: {
    post: record('title', 'url', 'content_markdown'),
    comments: recordsOf('content_markdown'),
    ...pageFields,
  },
  async run(api, { post_id, limit = PAGE_SIZE, after }) {
    const post = await api.call('posts.get', { id: post_id })
    const page = await api.call('comments.list', { post_id, limit, after })
    const all = await withText(api, [post, ...page.data], ([whole, ...others]) => [whole!, ...shortenAll(others)])
    const [first, ...comments] = all as [WithText<Post>, ...WithText<Comment>[]]
    const text = [
      postText(post, first),
      `## Comments\n\n${describePage(page, comments.length, 'comment')}`,
      ...comments.map(({ record, text }) => itemText(record, text)),
    ]
    const data = {
      post: { ...first.record, resolution_markdown: first.note },
      comments: comments.map(({ record }) => record),
      ...pageOf(page),
    }
    return { text: text.join('\n\n'), data }
  },
})

function postText(post: Post, { record, text, note }: WithText<Post>): string {
  const { resolution } = post
  const answer = resolution?.resolved_comment && `The answer is the comment ${resolution.resolved_comment.id}.`
  return [
    `# ${quoteName(post.title)}`,
    `${post.id} by ${quoteName(post.author.name)} in #${quoteName(post.channel.name)}, ${when(post.created_at)}; ${stateOf(post)}${reactionsText(record.reactions, '; ')}. ${post.url}`,
    quote(text),
    ...(resolution ? [['## Resolution', answer, note && quote(note)].filter(Boolean).join('\n\n')] : []),
  ].join('\n\n')
}

export const writePost = tool({
  name: 'write_post',
  title: 'Write a post',
  description:
    'Publish a post in a channel. Mention people as <@mem_…>, groups as <@group_…>; <@channel> only if asked to.',
  input: {
    channel: Channel,
    title: describe(create.body.properties.title, 'By default the first line of the text.'),
    content_markdown: describe(
      create.body.properties.content_markdown,
      'Markdown (GFM). Optional with a title or files.',
    ),
    file_ids,
  },
  output: { post: record('title', 'url') },
  writes: 'adds',
  async run(api, { channel, ...post }) {
    const { id } = await findChannel(api, channel)
    const written = await api.call('posts.create', { channel_id: id, ...post })
    return showPost('Published', written, await tellUnreached(api, written.id, written.content))
  },
})

export const comment = tool({
  name: 'comment',
  title: 'Comment on a post',
  description: 'Comment on a post, or reply to a comment.',
  input: {
    post_id: PostId,
    content_markdown: MarkdownOrFiles,
    file_ids,
    parent_id: Type.Optional(Type.String({ description: 'cmt_…, to reply. A reply cannot be replied to.' })),
  },
  output: { comment: record() },
  writes: 'adds',
  async run(api, input) {
    const comment = await api.call('comments.create', input)
    const unreached = await tellUnreached(api, comment.subject_id, comment.content)
    return { text: `Written: ${comment.id} on ${comment.subject_id}.${unreached}`, data: { comment: lean(comment) } }
  },
})

export const resolvePost = tool({
  name: 'resolve_post',
  title: 'Resolve or reopen a post',
  description: 'Resolve an open post, optionally with a note and the comment that answers it, or reopen it.',
  input: {
    post_id: PostId,
    action: Type.Unsafe<'resolve' | 'reopen'>({ type: 'string', enum: ['resolve', 'reopen'] }),
    content_markdown: Type.Optional(Type.String({ maxLength: MAX_TEXT_LENGTH, description: 'The note.' })),
    comment_id: Type.Optional(Type.String({ description: 'cmt_…' })),
  },
  output: { post: record('title', 'url') },
  writes: 'replaces',
  async run(api, { post_id, action, ...resolution }) {
    if (action === 'reopen') return showPost('Reopened', await api.call('posts.unresolve', { post_id }))
    // A resolution by someone else is not replaced by accident.
    const post = await api.call('posts.resolve', { post_id, if_open: true, ...resolution })
    return showPost('Resolved', post, await tellUnreached(api, post_id, post.resolution?.resolved_html ?? ''))
  },
})

const showPost = (what: string, post: Post, unreached = '') => ({
  text: `${what}: ${quoteName(post.title)} (${post.id}). ${post.url}${unreached}`,
  data: { post: lean(post) },
})

export const react = tool({
  name: 'react',
  title: 'React',
  description: 'React with an emoji, or undo it. Better than a comment that only agrees.',
  input: {
    id: Type.String({ description: 'post_…, cmt_… or msg_…' }),
    emoji: Type.String({ description: '👍, or the name of a custom emoji.' }),
    remove: Type.Optional(Type.Boolean()),
  },
  output: { emoji: { type: 'string' } },
  writes: 'adds',
  async run(api, { remove = false, ...change }) {
    const { id: subject_id, emoji } = change
    if (!reactionSubjects.some((kind) => kind === kindOf(subject_id)))
      throw invalidField('id', 'Must be a post (post_…), a comment (cmt_…) or a message (msg_…).')
    if (remove) await api.call('reactions.remove', { subject_id, emoji })
    else await api.call('reactions.add', { subject_id, emoji })
    const what = remove ? 'Removed the reaction' : 'Reacted with'
    return { text: `${what} ${quoteName(change.emoji)}: ${change.id}.`, data: { ...change } }
  },
})
