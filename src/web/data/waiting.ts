import { paths } from '../paths'
import { cancel, listWaiting, useQueue, type Waiting } from './cache/queue'
import { findLoaded } from './cache/records'
import type { NewComment } from './comments'
import { draftKeys, readDraft, saveDraft } from './drafts'
import { nameFiles } from './files'
import { getMe } from './me'
import { toEditorText } from './mentions'
import type { NewMessage } from './messages'
import type { NewPost, Resolving } from './posts'
import type { OwnReaction } from './reactions'
import { getThreadTitle } from './threads'

/** What each kind of write was given. */
interface Inputs {
  comment: NewComment
  message: NewMessage
  post: NewPost
  reaction: OwnReaction
  resolution: Resolving
  reopening: { post_id: string }
  unread: { subject_id: string }
}
type Kind = keyof Inputs

/** A write that waits, as people see it. */
interface ShownWrite {
  label: string
  /** What was written. */
  text?: string
  /** Where it is shown, and where its text is written. */
  path: string
}

const describers: { [K in Kind]: (input: Inputs[K]) => ShownWrite } = {
  comment: ({ post_id, parent_id, content_markdown: text }) => ({
    label: `${parent_id ? 'Reply' : 'Comment'} on ${namePost(post_id)}`,
    text,
    path: paths.post(post_id, parent_id ?? undefined),
  }),
  message: ({ thread_id, content_markdown: text }) => ({
    label: `Message in ${nameThread(thread_id)}`,
    text,
    path: paths.thread(thread_id),
  }),
  post: ({ channel_id, title, content_markdown }) => ({
    label: `Post in ${nameChannel(channel_id)}`,
    text: title.trim() || content_markdown,
    path: paths.channel(channel_id),
  }),
  reaction: ({ subject_id, emoji, isAdded }) => ({
    label: `${isAdded ? 'Reaction' : 'Removed reaction'} ${emoji}`,
    path: findPath(subject_id),
  }),
  resolution: ({ post_id, note }) => ({
    label: `Resolve ${namePost(post_id)}`,
    text: note,
    path: paths.post(post_id),
  }),
  reopening: ({ post_id }) => ({ label: `Reopen ${namePost(post_id)}`, path: paths.post(post_id) }),
  unread: ({ subject_id }) => ({ label: `Mark ${nameSubject(subject_id)} as unread`, path: findPath(subject_id) }),
}

const quote = (name: string | undefined, other: string) => (name ? `“${name}”` : other)
const namePost = (id: string) => quote(findLoaded('post', id)?.title, 'a post')
const nameChannel = (id: string) => {
  const channel = findLoaded('channel', id)
  return channel ? `#${channel.name}` : 'a channel'
}
const nameThread = (id: string) => {
  const thread = findLoaded('thread', id)
  return quote(thread && getThreadTitle(thread, getMe().author), 'a thread')
}
const nameSubject = (id: string) => (findLoaded('thread', id) ? nameThread(id) : namePost(id))

/** The page that shows a post, a thread, a comment or a message. */
function findPath(id: string): string {
  const [comment, message] = [findLoaded('comment', id), findLoaded('message', id)]
  if (comment) return paths.post(comment.subject_id, id)
  if (message) return paths.thread(message.thread_id, id)
  return findLoaded('thread', id) ? paths.thread(id) : paths.post(id)
}

export function describeWaiting({ kind, input }: Waiting): ShownWrite {
  const described = describers[kind as Kind](input as never)
  return { ...described, text: described.text && nameFiles(toEditorText(described.text)) }
}

/** Where the text of a write is written; undefined if nothing was typed. */
function findDraft({ kind, input }: Waiting): { key: string; path: string } | undefined {
  if (kind === 'comment') {
    const { post_id, parent_id } = input as NewComment
    const key = parent_id ? draftKeys.reply(parent_id) : draftKeys.comment(post_id)
    return { key, path: paths.post(post_id, parent_id ?? undefined) }
  }
  if (kind === 'message') {
    const { thread_id } = input as NewMessage
    return { key: draftKeys.message(thread_id), path: paths.thread(thread_id) }
  }
  if (kind !== 'post') return undefined
  const { channel_id } = input as NewPost
  return { key: draftKeys.post(channel_id), path: paths.newPost(channel_id) }
}

export const canEdit = (entry: Waiting) => findDraft(entry) !== undefined

/**
 * Instead of being sent, a text goes back to where it was written, before what is being written there now. Returns the page;
 * undefined if it is on its way.
 */
export function takeBack(entry: Waiting): string | undefined {
  const { key, path } = findDraft(entry)!
  if (!cancel(entry)) return undefined
  const { content_markdown, title } = entry.input as { content_markdown: string; title?: string }
  putBefore(key, content_markdown, '\n\n')
  if (title) putBefore(draftKeys.postTitle((entry.input as NewPost).channel_id), title, ' ')
  return path
}

const putBefore = (key: string, text: string, separator: string) =>
  saveDraft(key, [text, readDraft(key)].filter(Boolean).join(separator))

const nouns: Partial<Record<string, string>> = { comment: 'comment', message: 'message', post: 'post' }

/** “2 comments”; “3 changes” if they are of several kinds. */
function countWaiting(entries: readonly Waiting[]): string {
  const kinds = new Set(entries.map(({ kind }) => nouns[kind] ?? 'change'))
  const [noun = 'change'] = kinds.size === 1 ? kinds : []
  return `${entries.length.toLocaleString()} ${noun}${entries.length === 1 ? '' : 's'}`
}

/** What is lost by signing out: “2 comments haven't been sent.” Undefined if nothing is. */
export function describeUnsent(): string | undefined {
  const unsent = listWaiting()
  return unsent.length > 0
    ? `${countWaiting(unsent)} ${unsent.length === 1 ? "hasn't" : "haven't"} been sent. Signing out deletes what hasn't been sent.`
    : undefined
}

/** What waits for a connection, and what is only sent by hand. */
export function useWaiting() {
  const entries = useQueue()
  return {
    waiting: entries.filter(({ problem }) => problem === null),
    refused: entries.filter(({ problem }) => problem !== null),
  }
}

/** A post that waits, as a row of a feed. Without a title, its first line is used, as on the server. */
export function describePost({ input }: Waiting) {
  const { channel_id, title, content_markdown } = input as NewPost
  const [first = '', ...rest] = toEditorText(content_markdown).trim().split('\n')
  const excerpt = title.trim() ? [first, ...rest].join(' ') : rest.join(' ').trim()
  return { title: title.trim() || first, excerpt, channel: nameChannel(channel_id) }
}
