import type { InboxAbout } from '../../src/contract/inbox'
import { ApiError } from '../client'
import type { Person as Client } from '../world'
import * as m from './model'
import * as a from './model-attention'

interface Filter {
  archived?: boolean
  unread?: boolean
  about?: InboxAbout[]
}

const filters: Filter[] = [
  {},
  { archived: true },
  { unread: true },
  { unread: false },
  { about: ['mention'] },
  { about: ['reaction', 'added', 'resolution'], unread: false },
  { about: ['activity', 'mention'], unread: true },
]

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
    ...filters.map((filter) => ({
      name: `inbox.list ${JSON.stringify(filter)}`,
      ask: (client: Client) => client.inbox.list(filter),
      expected: expectedEntries(filter),
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
      inbox_count: entriesOf({ unread: true }).length,
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

  function entriesOf({ archived = false, unread, about }: Filter) {
    const isWanted = (entry: a.Entry) =>
      entry.isArchived === archived &&
      a.isListed(model, who, entry) &&
      (unread === undefined || a.isEntryUnread(model, who, entry) === unread) &&
      (about?.includes(entry.about) ?? true)
    return a
      .entriesOf(model, who)
      .filter(isWanted)
      .sort((one, other) => other.revision - one.revision)
  }

  function expectedEntries(filter: Filter) {
    const entries = entriesOf(filter)
    return { data: entries.slice(0, 50).map(toEntry), total_count: entries.length }
  }

  function toEntry(entry: a.Entry) {
    const { subject, about, reason } = entry
    const [reaction, ...reactions] = about === 'reaction' ? a.reactionsOfOthers(model, who, entry) : []
    const actor = reaction?.person ?? entry.actor
    const unread = a.unreadItemsOf(model, who, subject)
    const others =
      about === 'reaction'
        ? reactions.map(({ person }) => person)
        : about === 'activity'
          ? unread.map(({ author }) => author)
          : []
    const answer = reason === 'resolved' && a.isPost(subject) ? subject.resolution?.comment : undefined
    const told = reason === 'resolved' ? answer : entry.item
    const item = told && a.itemsOf(model, subject).includes(told) ? told : undefined
    return {
      subject: { id: subject.id, is_own: a.isPost(subject) && subject.author === who },
      about,
      reason,
      actor: { id: actor.id },
      others_count: new Set(others.filter((person) => person !== actor)).size,
      emoji: reaction?.emoji ?? null,
      item_id: item?.id ?? null,
      item_is_own: item?.author === who,
      new_count: unread.length,
      last_activity_at: new Date(reaction?.at ?? entry.at).toISOString(),
      is_unread: a.isEntryUnread(model, who, entry),
    }
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
