import { useSyncExternalStore } from 'react'
import { createStoredValue } from './storage'

/** Unsent texts by key, the latest last. */
const drafts = createStoredValue<Record<string, string>>('drafts', {})
const MAX_DRAFTS = 100

/** The place of a new post without a channel, and of a new thread. */
export const NO_PLACE = 'new'

/** The key of every draft. It names the place where the draft is, see `useDraftPlaces`. */
export const draftKeys = {
  post: (channelId: string) => `post:${channelId}`,
  postTitle: (channelId: string) => `title:${channelId}`,
  comment: (postId: string) => `comment:${postId}`,
  reply: (postId: string, commentId: string) => `comment:${postId}:${commentId}`,
  resolution: (postId: string) => `resolve:${postId}`,
  message: (threadId: string) => `message:${threadId}`,
  edit: (recordId: string) => `edit:${recordId}`,
}

export const readDraft = (key: string) => drafts.get()[key] ?? ''

export function saveDraft(key: string, text: string) {
  const { [key]: _, ...others } = drafts.get()
  const kept = Object.entries(others).slice(-(MAX_DRAFTS - 1))
  drafts.set(Object.fromEntries(text.trim() ? [...kept, [key, text]] : kept))
}

/** Moves a draft, after the one that may be there already. */
export function moveDraft(from: string, to: string, separator: string) {
  const texts = [readDraft(to), readDraft(from)].filter(Boolean)
  saveDraft(from, '')
  saveDraft(to, texts.join(separator))
}

/** The channel of the post that was being written last, if any. */
export const findLatestPostDraft = (): string | undefined =>
  Object.keys(drafts.get())
    .map((key) => key.match(/^(?:post|title):(.*)$/)?.[1])
    .findLast((channelId) => channelId !== undefined)

/** The ids of the channels, posts and threads with a draft: of a post, a comment or reply, a message. */
export interface DraftPlaces {
  channels: ReadonlySet<string>
  posts: ReadonlySet<string>
  threads: ReadonlySet<string>
}

const places: Record<string, keyof DraftPlaces> = {
  post: 'channels',
  title: 'channels',
  comment: 'posts',
  resolve: 'posts',
  message: 'threads',
}

/** Where this member has drafts in this browser. `NO_PLACE` stands for a new thread, or a post without a channel. */
export function useDraftPlaces(): DraftPlaces {
  const all = useSyncExternalStore(drafts.subscribe, drafts.get)
  const found = { channels: new Set<string>(), posts: new Set<string>(), threads: new Set<string>() }
  for (const key of Object.keys(all)) {
    const [kind, id] = key.split(':')
    const place = places[kind!]
    if (place) found[place].add(id!)
  }
  return found
}
