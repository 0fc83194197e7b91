import { ApiError } from '../client'
import type { Person as Client } from '../world'
import * as m from './model'
import * as a from './model-attention'

const byId = <T extends { id: string }>(things: readonly T[]) =>
  things.toSorted((one, other) => (one.id < other.id ? -1 : 1))
const idsOf = (things: readonly { id: string }[]) => things.slice(0, 50).map(({ id }) => id)

/** What a person has not read, follows and was told of: for each view, the call and the result expected by the model. */
export function attentionViewsOf(model: m.Model, who: m.Person) {
  const [posts, threads] = [model.posts.slice(0, 50), model.threads.slice(0, 50)]
  const views: { name: string; ask(client: Client): Promise<unknown>; expected: unknown }[] = [
    {
      name: 'unread.get',
      async ask(client) {
        const unread = await client.unread.get()
        return { ...unread, channels: byId(unread.channels), threads: byId(unread.threads) }
      },
      expected: expectedCounts(),
    },
    ...[false, true].map((archived) => ({
      name: `inbox.list ${archived ? 'of the archive' : ''}`,
      async ask(client: Client) {
        const { data, total_count } = await client.inbox.list({ archived })
        return { data: data.map(({ read_at, ...entry }) => ({ ...entry, isRead: read_at !== null })), total_count }
      },
      expected: expectedEntries(archived),
    })),
    {
      name: 'follows.get of channels',
      ask: (client) => Promise.all(model.channels.map(({ id }) => levelOrCode(client, id))),
      expected: model.channels.map((channel) =>
        m.seesChannel(who, channel) ? `${a.levelOf(model, who, channel)} ${isChosen(channel)}` : 'not_found',
      ),
    },
  ]
  if (posts.length > 0)
    views.push({
      name: 'unread.posts',
      ask: (client) => client.unread.posts({ ids: idsOf(posts) }),
      expected: { data: seen(posts).map((post) => ({ post_id: post.id, ...toState(post) })) },
    })
  if (threads.length > 0)
    views.push({
      name: 'unread.threads',
      ask: (client) => client.unread.threads({ ids: idsOf(threads) }),
      expected: { data: seen(threads).map((thread) => ({ thread_id: thread.id, ...toState(thread) })) },
    })
  return who.role === 'app' ? views.map((view) => ({ ...view, expected: refusedOf(view.name) })) : views

  /** What one view asks for all channels is refused for each. */
  function refusedOf(name: string) {
    return name === 'follows.get of channels' ? model.channels.map(() => 'forbidden') : 'forbidden'
  }

  function seen<T extends a.Subject>(subjects: readonly T[]): T[] {
    return subjects.filter((subject) => a.seesSubject(who, subject))
  }

  function isChosen(subject: a.Subject): boolean {
    return a.stateOf(model, who, subject).isChosen
  }

  function toState(subject: a.Subject) {
    const items = a.unreadItemsOf(model, who, subject)
    return {
      is_unread: a.isUnread(model, who, subject),
      unread_count: items.length,
      first_unread_id: items[0]?.id ?? null,
      level: a.levelOf(model, who, subject),
      is_level_chosen: isChosen(subject),
    }
  }

  function expectedCounts() {
    const channels = seen(model.channels).map((channel) => {
      const unread = seen(model.posts).filter((post) => post.channel === channel && isHeard(post))
      const level = a.levelOf(model, who, channel)
      return { id: channel.id, level, unread_count: level === 'none' ? 0 : unread.length, isChosen: isChosen(channel) }
    })
    const threads = seen(model.threads).filter(isHeard)
    return {
      inbox_count: entriesOf(false).filter(({ entry }) => !entry.isRead).length,
      channels: byId(channels.filter((each) => each.isChosen || each.unread_count > 0)).map(
        ({ isChosen: _, ...channel }) => channel,
      ),
      threads: byId(
        threads.map((thread) => ({
          id: thread.id,
          level: a.levelOf(model, who, thread),
          unread_count: a.unreadItemsOf(model, who, thread).length,
        })),
      ).filter(({ unread_count }) => unread_count > 0),
    }
  }

  /** Unread, and not muted by itself. */
  function isHeard(subject: a.Subject): boolean {
    return a.isUnread(model, who, subject) && a.stateOf(model, who, subject).level !== 'none'
  }

  function entriesOf(isArchived: boolean) {
    const entries = [...a.statesOf(model, who)].flatMap(([subject, { entry }]) =>
      entry && entry.isArchived === isArchived && a.seesSubject(who, subject) ? [{ subject, entry }] : [],
    )
    return entries.sort((one, other) => other.entry.revision - one.entry.revision)
  }

  function expectedEntries(isArchived: boolean) {
    const entries = entriesOf(isArchived)
    const data = entries.slice(0, 50).map(({ subject, entry: { reason, actor, item, at, isRead } }) => ({
      subject: { id: subject.id },
      reason,
      actor: { id: actor.id },
      item_id: item && a.itemsOf(model, subject).includes(item) ? item.id : null,
      new_count: a.unreadItemsOf(model, who, subject).length,
      last_activity_at: new Date(at).toISOString(),
      isRead,
    }))
    return { data, total_count: entries.length }
  }
}

async function levelOrCode(client: Client, id: string): Promise<string> {
  try {
    const { level, is_chosen } = await client.follows.get({ subject_id: id })
    return `${level} ${is_chosen}`
  } catch (error) {
    if (error instanceof ApiError && error.code !== 'unauthenticated') return error.code
    throw error
  }
}
