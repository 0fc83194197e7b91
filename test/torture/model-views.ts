import { expect } from 'bun:test'
import type { Person as Client } from '../world'
import * as m from './model'
import { attentionViewsOf } from './model-attention-views'
import { contentViewsOf } from './model-content-views'
import { searchesOf } from './model-search'

const stamp = (at: number) => new Date(at).toISOString()

/** Sorts by time, then by id, in the same direction. */
function inOrder<T extends { id: string }>(things: readonly T[], at: (thing: T) => number, way: 1 | -1): T[] {
  return things.toSorted((a, b) => way * (at(a) - at(b) || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)))
}

/** How a mention is rendered is tested elsewhere. */
const toContent = ({ text, mention }: { text: string; mention?: m.Person }) =>
  mention ? expect.stringContaining(`<p>${text} `) : `<p>${text}</p>`

const page = <T>(data: readonly T[]) => ({ data: data.slice(0, 50), total_count: data.length })

/** Everything that a person can read: for each view, the call and the result expected by the model. */
export function viewsOf(model: m.Model, who: m.Person) {
  const posts = model.posts.filter((post) => m.seesPost(who, post))
  const views: { name: string; ask(client: Client): Promise<unknown>; expected: unknown }[] = [
    {
      name: 'posts.list',
      ask: (client) => client.posts.list(),
      expected: page(inOrder(posts, ({ createdAt }) => createdAt, -1).map(toPost)),
    },
    {
      name: 'posts.list by activity, resolved ones',
      ask: (client) => client.posts.list({ sort: 'last_activity_at', direction: 'asc', resolved: true }),
      expected: page(
        inOrder(
          posts.filter(({ resolution }) => resolution),
          ({ activeAt }) => activeAt,
          1,
        ).map(toPost),
      ),
    },
    {
      name: 'channels.list',
      ask: (client) => client.channels.list(),
      expected: page(
        inOrder(
          model.channels.filter((channel) => m.seesChannel(who, channel)),
          ({ createdAt }) => createdAt,
          1,
        ).map(toChannel),
      ),
    },
    {
      name: 'threads.list',
      ask: (client) => client.threads.list(),
      expected: page(
        inOrder(
          model.threads.filter((thread) => m.seesThread(who, thread)),
          ({ activeAt }) => activeAt,
          -1,
        ).map(toThread),
      ),
    },
    {
      name: 'members.list',
      ask: async (client) => {
        const { data, total_count } = await client.members.list()
        return {
          ids: data.map(({ id, role, is_deactivated }) => `${id} ${role} ${is_deactivated}`).sort(),
          total_count,
        }
      },
      expected: seenMembers(),
    },
    {
      name: 'channels.list of those joined',
      ask: (client) => client.channels.list({ joined: true }),
      expected: page(
        inOrder(
          model.channels.filter((channel) => m.seesChannel(who, channel) && channel.inside.has(who)),
          ({ createdAt }) => createdAt,
          1,
        ).map(toChannel),
      ),
    },
    ...model.people.map((author) => ({
      name: `posts.list by ${author.id}`,
      ask: (client: Client) => client.posts.list({ author_id: author.id }),
      expected: m.seesPerson(model, who, author)
        ? page(
            inOrder(
              posts.filter((post) => post.author === author),
              ({ createdAt }) => createdAt,
              -1,
            ).map(toPost),
          )
        : 'not_found',
    })),
    ...searchesOf(model, who),
    ...attentionViewsOf(model, who),
    ...contentViewsOf(model, who),
    ...model.channels.map((channel) => ({
      name: `posts.list of ${channel.name}`,
      ask: (client: Client) => client.posts.list({ channel_id: channel.id, resolved: false }),
      expected: m.seesChannel(who, channel)
        ? page(
            inOrder(
              posts.filter((post) => post.channel === channel && !post.resolution),
              ({ createdAt }) => createdAt,
              -1,
            ).map(toPost),
          )
        : 'not_found',
    })),
    ...model.posts.map((post) => ({
      name: `comments.list of ${post.title}`,
      ask: (client: Client) => client.comments.list({ post_id: post.id }),
      expected: m.seesPost(who, post)
        ? page(inOrder(m.commentsOf(model, post), ({ createdAt }) => createdAt, 1).map(toComment))
        : 'not_found',
    })),
    ...model.threads.map((thread) => ({
      name: `messages.list of ${thread.id}`,
      ask: (client: Client) => client.messages.list({ thread_id: thread.id }),
      expected: m.seesThread(who, thread)
        ? page(inOrder(m.messagesOf(model, thread), ({ createdAt }) => createdAt, -1).map(toMessage))
        : 'not_found',
    })),
  ]
  return who.isDeactivated ? views.map((view) => ({ ...view, expected: 'unauthenticated' })) : views

  function seenMembers() {
    const seen = model.people.filter((person) => person.role !== 'app' && m.seesPerson(model, who, person))
    return {
      ids: seen.map(({ id, role, isDeactivated }) => `${id} ${role} ${isDeactivated}`).sort(),
      total_count: seen.length,
    }
  }

  function toPost(post: m.Post) {
    const { resolution } = post
    return {
      id: post.id,
      title: post.title,
      content: toContent(post),
      created_at: stamp(post.createdAt),
      last_activity_at: stamp(post.activeAt),
      comments_count: m.commentsOf(model, post).length,
      channel: { id: post.channel.id, name: post.channel.name },
      author: { id: post.author.id },
      resolution: resolution
        ? {
            resolved_at: stamp(resolution.at),
            resolved_by: { id: resolution.by.id },
            resolved_comment: resolution.comment ? toComment(resolution.comment) : null,
          }
        : null,
    }
  }

  function toComment(comment: m.Comment) {
    return {
      id: comment.id,
      content: comment.isEmptied ? '' : toContent(comment),
      created_at: stamp(comment.createdAt),
      replies_count: m.repliesTo(model, comment).length,
      parent_id: comment.parent?.id ?? null,
      subject_id: comment.post.id,
      author: { id: comment.author.id },
    }
  }

  function toChannel(channel: m.Channel) {
    const posts = model.posts.filter((post) => post.channel === channel && !post.isGone)
    return {
      id: channel.id,
      name: channel.name,
      is_private: channel.isPrivate,
      created_at: stamp(channel.createdAt),
      archived_at: null,
      last_activity_at: posts.length > 0 ? stamp(Math.max(...posts.map(({ activeAt }) => activeAt))) : null,
      posts_count: posts.length,
      members_count: channel.inside.size,
    }
  }

  function toThread(thread: m.Thread) {
    const messages = m.messagesOf(model, thread)
    return {
      id: thread.id,
      is_direct: thread.isDirect,
      last_activity_at: stamp(thread.activeAt),
      last_message_at: messages.length > 0 ? stamp(Math.max(...messages.map(({ createdAt }) => createdAt))) : null,
      messages_count: messages.length,
    }
  }

  function toMessage(message: m.Message) {
    return {
      id: message.id,
      content: toContent(message),
      created_at: stamp(message.createdAt),
      updated_at: stamp(message.updatedAt),
      parent_id: message.parent?.id ?? null,
      thread_id: message.thread.id,
      author: { id: message.author.id },
    }
  }
}
