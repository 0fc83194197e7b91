import { useInfiniteQuery } from '@tanstack/react-query'
import { MAX_REACTION_NAMES } from '../../contract/browser/constants'
import type { EventOf } from '../../contract/events'
import type { EmojiCount } from '../../contract/reactions'
import { notifyProblem } from '../parts/notices'
import { batchById } from './cache/batches'
import { keys } from './cache/keys'
import { getShown, useShown } from './cache/optimistic'
import { cache, parley } from './cache/parley'
import { defineWrite } from './cache/queue'
import { change, markStale, update } from './cache/records'
import { getMe } from './me'

const NONE: EmojiCount[] = []

const loadReactions = batchById(async (ids) => {
  const { data } = await parley.reactions.list({ ids })
  return new Map(data.map(({ subject_id, reactions }) => [subject_id, reactions]))
}, NONE)

/** The reactions to a record. */
export const useReactions = (id: string): EmojiCount[] =>
  useShown({ queryKey: keys.reactionsTo(id), queryFn: () => loadReactions(id) }).data ?? NONE

/** Loads the reactions to records before they are shown, so that the page does not move afterwards. Never fails. */
export const preloadReactions = (ids: readonly string[]) =>
  Promise.all(
    ids.map((id) =>
      cache.prefetchQuery({ queryKey: keys.reactionsTo(id), queryFn: () => loadReactions(id), retry: false }),
    ),
  )

export interface OwnReaction {
  subject_id: string
  emoji: string
  url: string | null
  isAdded: boolean
}

const writeReaction = defineWrite('reaction', {
  subjectOf: ({ subject_id }: OwnReaction) => subject_id,
  changes: (own) => [change<EmojiCount[]>(keys.reactionsTo(own.subject_id), (all) => withOwn(all, own))],
  send: ({ subject_id, emoji, isAdded }) => parley.reactions[isAdded ? 'add' : 'remove']({ subject_id, emoji }),
  settle: (_, own) => update<EmojiCount[]>(keys.reactionsTo(own.subject_id), (all) => withOwn(all, own)),
})

/** Adds or removes your reaction: shown at once. */
export async function toggleReaction(subject_id: string, emoji: string, url: string | null) {
  const own = getShown<EmojiCount[]>(keys.reactionsTo(subject_id))?.find((each) => each.emoji === emoji)
  try {
    await writeReaction({ subject_id, emoji, url, isAdded: !own?.has_reacted })
  } catch (error) {
    notifyProblem("Couldn't save your reaction.", error)
  }
}

/** Changes nothing where it is so already. */
function withOwn(all: EmojiCount[], { emoji, url, isAdded }: OwnReaction): EmojiCount[] {
  const known = all.find((each) => each.emoji === emoji)
  if ((known?.has_reacted ?? false) === isAdded) return all
  const count = (known?.count ?? 0) + (isAdded ? 1 : -1)
  return withReaction(all, { emoji, url, count, name: getMe().author.name, isAdded, isOwn: true })
}

interface Reacted {
  emoji: string
  url: string | null
  count: number
  name: string
  isAdded: boolean
  isOwn: boolean
}

function withReaction(all: EmojiCount[], { emoji, url, count, name, isAdded, isOwn }: Reacted): EmojiCount[] {
  const known = all.find((each) => each.emoji === emoji)
  if (count === 0) return known ? all.filter((each) => each !== known) : all
  const others = (known?.names ?? []).filter((each) => each !== name)
  const names = isAdded ? [...others, name].slice(0, MAX_REACTION_NAMES) : others
  const next = {
    emoji,
    url,
    count,
    has_reacted: isOwn ? isAdded : (known?.has_reacted ?? false),
    names: known && isAdded && known.names.includes(name) ? known.names : names,
  }
  return known ? all.map((each) => (each === known ? next : each)) : [...all, next]
}

/** A reaction of anyone. The event says how many there are. */
export function putReaction({ type, data, actor }: EventOf<'reaction.added' | 'reaction.removed'>) {
  const { subject_id, emoji, emoji_url: url, count, author } = data
  const isOwn = actor?.id === getMe().author.id
  const key = keys.reactionsTo(subject_id)
  update<EmojiCount[]>(key, (all) =>
    withReaction(all, { emoji, url, count, name: author.name, isAdded: type === 'reaction.added', isOwn }),
  )
  const now = cache.getQueryData<EmojiCount[]>(key)?.find((each) => each.emoji === emoji)
  // Another person is now among the first names.
  if (now && now.names.length < Math.min(now.count, MAX_REACTION_NAMES)) markStale(key)
}

/** A new comment or message has no reactions: nobody has to ask. */
export const markUnreacted = (id: string) =>
  void cache.setQueryData<EmojiCount[]>(keys.reactionsTo(id), (all) => all ?? [])

/** Who reacted to a record, oldest first. */
export const useWhoReacted = (id: string) =>
  useInfiniteQuery({
    queryKey: keys.whoReacted(id),
    queryFn: ({ pageParam }) => parley.reactions.listOfSubject({ subject_id: id, after: pageParam }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
  })
