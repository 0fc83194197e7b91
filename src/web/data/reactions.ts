import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { MAX_REACTION_NAMES } from '../../contract/browser/constants'
import type { EventOf } from '../../contract/events'
import type { Me } from '../../contract/me'
import type { EmojiCount } from '../../contract/reactions'
import { notifyProblem } from '../parts/notices'
import { batchById } from './cache/batches'
import { cache, parley } from './cache/parley'
import { meQuery } from './me'

export const REACTIONS = ['reactions']
const reactionsKey = (id: string) => [...REACTIONS, id]

const NONE: EmojiCount[] = []

const loadReactions = batchById(async (ids) => {
  const { data } = await parley.reactions.list({ ids })
  return new Map(data.map(({ subject_id, reactions }) => [subject_id, reactions]))
}, NONE)

/** The reactions to a record. */
export const useReactions = (id: string): EmojiCount[] =>
  useQuery({ queryKey: reactionsKey(id), queryFn: () => loadReactions(id) }).data ?? NONE

/** Loads the reactions to records before they are shown, so that the page does not move afterwards. Never fails. */
export const preloadReactions = (ids: readonly string[]) =>
  Promise.all(
    ids.map((id) =>
      cache.prefetchQuery({ queryKey: reactionsKey(id), queryFn: () => loadReactions(id), retry: false }),
    ),
  )

/** The requests for one record, which are sent one after the other, and whether others have reacted in the meantime. */
const pending = new Map<string, { last: Promise<unknown>; count: number; isOutdated: boolean }>()

/** Adds or removes your reaction. The change is shown at once, and undone if the request fails. */
export async function toggleReaction(id: string, emoji: string, url: string | null) {
  const own = cache.getQueryData<EmojiCount[]>(reactionsKey(id))?.find((each) => each.emoji === emoji)
  const isAdded = !own?.has_reacted
  const name = cache.getQueryData<Me>(meQuery.queryKey)?.author.name ?? ''
  change(id, { emoji, url, count: (own?.count ?? 0) + (isAdded ? 1 : -1), name, isAdded, isOwn: true })
  const queue = pending.getOrInsertComputed(id, () => ({
    last: Promise.resolve(),
    count: 0,
    isOutdated: false,
  }))
  queue.count += 1
  queue.last = queue.last
    .then(() => parley.reactions[isAdded ? 'add' : 'remove']({ subject_id: id, emoji }))
    .catch((error) => {
      queue.isOutdated = true
      notifyProblem("Couldn't save your reaction.", error)
    })
  await queue.last
  queue.count -= 1
  if (queue.count > 0) return
  pending.delete(id)
  if (queue.isOutdated) refetchReactions(id)
}

export const refetchReactions = (id: string) => void cache.invalidateQueries({ queryKey: reactionsKey(id) })

interface Change {
  emoji: string
  url: string | null
  count: number
  name: string
  isAdded: boolean
  isOwn: boolean
}

function change(id: string, { emoji, url, count, name, isAdded, isOwn }: Change) {
  cache.setQueryData<EmojiCount[]>(reactionsKey(id), (all) => {
    if (!all) return all
    const known = all.find((each) => each.emoji === emoji)
    if (count === 0) return all.filter((each) => each !== known)
    const others = (known?.names ?? []).filter((each) => each !== name)
    const names = isAdded ? [...others, name].slice(0, MAX_REACTION_NAMES) : others
    const has_reacted = isOwn ? isAdded : (known?.has_reacted ?? false)
    const next = {
      emoji,
      url,
      count,
      has_reacted,
      names: known && isAdded && known.names.includes(name) ? known.names : names,
    }
    return known ? all.map((each) => (each === known ? next : each)) : [...all, next]
  })
}

export function applyEvent({ type, data, actor, is_redacted }: EventOf<'reaction.added' | 'reaction.removed'>) {
  // The record was deleted, so the event no longer contains the emoji.
  if (is_redacted) return
  const { subject_id: id, emoji, emoji_url: url, count, author } = data
  void cache.invalidateQueries({ queryKey: ['who reacted', id] })
  const queue = pending.get(id)
  if (queue) {
    queue.isOutdated = true
    return
  }
  const isOwn = actor?.id === cache.getQueryData<Me>(meQuery.queryKey)?.author.id
  change(id, { emoji, url, count, name: author.name, isAdded: type === 'reaction.added', isOwn })
  const now = cache.getQueryData<EmojiCount[]>(reactionsKey(id))?.find((each) => each.emoji === emoji)
  // Another person is now among the first names.
  if (now && now.names.length < Math.min(now.count, MAX_REACTION_NAMES)) refetchReactions(id)
}

/** Who reacted to a record, oldest first. */
export const useWhoReacted = (id: string) =>
  useInfiniteQuery({
    queryKey: ['who reacted', id],
    queryFn: ({ pageParam }) => parley.reactions.listOfSubject({ subject_id: id, after: pageParam }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
  })
