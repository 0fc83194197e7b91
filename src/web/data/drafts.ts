import { useSyncExternalStore } from 'react'
import { NO_SUBJECT } from '../../contract/browser/constants'
import { kindOf } from '../../contract/browser/kinds'
import type { ListedDraft } from '../../contract/drafts'
import { paths } from '../paths'
import { createStoredValue } from './cache/storage'

export { NO_SUBJECT }

/** Unsent texts by key, the latest last. Most are also on the server, see `draft-sync.ts`. */
const drafts = createStoredValue<Record<string, string>>('drafts', {})
const MAX_DRAFTS = 500

/** The key of every draft. It names the subject of the draft. */
export const draftKeys = {
  post: (channelId: string) => `post:${channelId}`,
  postTitle: (channelId: string) => `title:${channelId}`,
  comment: (postId: string) => `comment:${postId}`,
  reply: (commentId: string) => `comment:${commentId}`,
  resolution: (postId: string) => `resolve:${postId}`,
  message: (threadOrMemberId: string) => `message:${threadOrMemberId}`,
  edit: (recordId: string) => `edit:${recordId}`,
  editTitle: (postId: string) => `edit-title:${postId}`,
}

export const readDraft = (key: string) => drafts.get()[key] ?? ''

function put(key: string, text: string) {
  const { [key]: _, ...others } = drafts.get()
  const kept = Object.entries(others).slice(-(MAX_DRAFTS - 1))
  drafts.set(Object.fromEntries(text.trim() ? [...kept, [key, text]] : kept))
}

type Listener = (key: string) => void
const typingListeners = new Set<Listener>()

/** Calls the listener with the key of each draft that is written in this tab. */
export const onDraftWritten = (listener: Listener) => void typingListeners.add(listener)

export function saveDraft(key: string, text: string) {
  if (readDraft(key) === (text.trim() ? text : '')) return
  put(key, text)
  for (const listener of typingListeners) listener(key)
}

/** Calls the listener whenever a draft has changed, here, in another tab or on another device. */
export const subscribeToDrafts = drafts.subscribe

/** Moves a draft, after the one that may be there already. */
export function moveDraft(from: string, to: string, separator: string) {
  const texts = [readDraft(to), readDraft(from)].filter(Boolean)
  saveDraft(from, '')
  saveDraft(to, texts.join(separator))
}

export interface DraftText {
  title: string
  content_markdown: string
}

/** The subject that a draft is saved for on the server; undefined if it stays in this browser. */
export function getSubject(key: string): string | undefined {
  const [kind, id] = key.split(':')
  if (kind === 'message' && id === NO_SUBJECT) return undefined
  return kind! in subjectTypes ? id : undefined
}

/** The key of the text for a subject; its title has another key. */
export function getTextKey(subjectId: string): string {
  const kind = kindOf(subjectId)
  if (kind === 'thread' || kind === 'member') return draftKeys.message(subjectId)
  return kind === 'post' || kind === 'comment' ? draftKeys.comment(subjectId) : draftKeys.post(subjectId)
}

/** All subjects with a draft in this browser that is saved on the server, too. */
export const listSubjects = (): string[] => [
  ...new Set(Object.keys(drafts.get()).flatMap((key) => getSubject(key) ?? [])),
]

export const readText = (subjectId: string): DraftText => ({
  title: readDraft(draftKeys.postTitle(subjectId)),
  content_markdown: readDraft(getTextKey(subjectId)),
})

/** Stores a text from the server in this browser. */
export function putText(subjectId: string, { title, content_markdown }: DraftText) {
  if (readDraft(draftKeys.postTitle(subjectId)) !== title) put(draftKeys.postTitle(subjectId), title)
  if (readDraft(getTextKey(subjectId)) !== content_markdown) put(getTextKey(subjectId), content_markdown)
}

/** The channel of the post that was being written last, if any. */
export const findLatestPostDraft = (): string | undefined =>
  Object.keys(drafts.get())
    .map((key) => key.match(/^(?:post|title):(.*)$/)?.[1])
    .findLast((channelId) => channelId !== undefined)

/** The ids of the channels, posts and threads with a draft: of a post, a comment or reply, a message. */
export interface DraftSubjects {
  channels: ReadonlySet<string>
  posts: ReadonlySet<string>
  threads: ReadonlySet<string>
}

const subjectTypes: Record<string, keyof DraftSubjects> = {
  post: 'channels',
  title: 'channels',
  comment: 'posts',
  message: 'threads',
}

/** The subjects this member has drafts for. `NO_SUBJECT` stands for a new thread, or a post without a channel. */
export function useDraftSubjects(): DraftSubjects {
  const all = useSyncExternalStore(drafts.subscribe, drafts.get)
  const found = { channels: new Set<string>(), posts: new Set<string>(), threads: new Set<string>() }
  for (const key of Object.keys(all)) {
    const [kind, id] = key.split(':')
    const type = subjectTypes[kind!]
    if (type) found[type].add(id!)
  }
  return found
}

/** The text of one draft. */
export const useStoredDraft = (key: string): string => useSyncExternalStore(drafts.subscribe, () => readDraft(key))

/** What a draft is for, and the page on which it can be continued. */
interface DraftLink {
  label: string
  path: string
}

/** Where a draft is continued; undefined if its subject was deleted or the member cannot see it. */
export function getDraftLink({ subject_id: id, place }: ListedDraft): DraftLink | undefined {
  if (id === NO_SUBJECT) return { label: 'New post', path: paths.newPost(NO_SUBJECT) }
  if (!place) return undefined
  const { name, post_id, author_name } = place
  if (author_name !== null) return { label: `Reply to ${author_name} in “${name}”`, path: paths.post(post_id!, id) }
  if (post_id !== null) return { label: `Comment on “${name}”`, path: paths.post(id) }
  if (kindOf(id) === 'channel') return { label: `New post in #${name}`, path: paths.newPost(id) }
  return kindOf(id) === 'thread'
    ? { label: `Message in ${name}`, path: paths.thread(id) }
    : { label: `Message to ${name}`, path: paths.newThread([id]) }
}

/** The state of a draft on the server, as far as this browser knows. */
interface KnownDraft {
  version: number
  hash: string
  /** Whether the member removed the text in this browser. Otherwise, a missing text means that the storage of the browser was cleared. */
  isCleared?: true
}

const known = createStoredValue<Record<string, KnownDraft>>('draft-versions', {})

/** Calls the listener whenever the server has saved or forgotten a draft, as far as this browser knows. */
export const subscribeToKnown = known.subscribe

export const getKnown = (subjectId: string): KnownDraft | undefined => known.get()[subjectId]

/** The subjects that had a draft on the server when the list was last loaded. */
export const listKnown = (): string[] => Object.keys(known.get())

export const setKnown = (subjectId: string, version: number, text: DraftText) =>
  known.set({ ...known.get(), [subjectId]: { version, hash: hashText(text) } })

export function forgetKnown(subjectId: string) {
  const { [subjectId]: _, ...others } = known.get()
  known.set(others)
}

export const isEmpty = ({ title, content_markdown }: DraftText) => !(title + content_markdown).trim()

/** Remembers whether the member has removed the whole text. */
export function noteCleared(subjectId: string) {
  const draft = getKnown(subjectId)
  if (!draft) return
  const { isCleared, ...rest } = draft
  const text = readText(subjectId)
  const isNow = isEmpty(text) && rest.hash !== hashText(text)
  if (isNow !== (isCleared ?? false))
    known.set({ ...known.get(), [subjectId]: isNow ? { ...rest, isCleared: true } : rest })
}

/** Whether the text in this browser differs from the one that was on the server. */
export function hasChanged(subjectId: string): boolean {
  const draft = getKnown(subjectId)
  const text = readText(subjectId)
  return isEmpty(text) ? draft?.isCleared === true : draft?.hash !== hashText(text)
}

/** A short form of a text to tell whether it has changed: FNV-1a in two halves, and the length. */
export function hashText({ title, content_markdown }: DraftText): string {
  const text = `${title}\n${content_markdown}`
  let one = 0x811c9dc5
  let two = 0x01000193
  for (let at = 0; at < text.length; at++) {
    one = Math.imul(one ^ text.charCodeAt(at), 0x01000193)
    two = Math.imul(two ^ text.charCodeAt(at), 0x85ebca6b)
  }
  return `${text.length}.${(one >>> 0).toString(36)}${(two >>> 0).toString(36)}`
}
