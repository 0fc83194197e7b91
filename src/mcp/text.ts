import { MAX_MENTIONED } from '../contract/audience'
import { excerptOf } from '../contract/browser/excerpt'
import { withoutBidi } from '../contract/browser/fold'
import type { Comment } from '../contract/comments'
import type { Source } from '../contract/markdown'
import type { Message } from '../contract/messages'
import type { Post } from '../contract/posts'
import type { EmojiCount } from '../contract/reactions'
import { memoize } from '../domain/caches'
import type { AgentApi } from './agent-api'

type Author = { name: string }

/** Characters that spell a text which models can read and people cannot see. */
const INVISIBLE = /[\u{e0000}-\u{e007f}]/gu

export const withoutInvisible = (text: string): string => text.replace(INVISIBLE, '')

/** All that some program takes for the end of a line. */
const LINE_ENDS = /\r\n|[\n\v\f\r\x1c-\x1e\x85\u2028\u2029]/

/** What people wrote, as a quotation: it cannot pass for another record, nor for what Parley says. */
export const quote = (text: string): string =>
  text === ''
    ? '> (no text)'
    : withoutInvisible(text)
        .split(LINE_ENDS)
        .map((line) => `> ${line}`)
        .join('\n')

/** A name or title on one line. */
export const line = (text: string): string =>
  withoutInvisible(withoutBidi(text))
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()

/** The same in quotation marks, beside what Parley says: it cannot pass for that. */
export const quoteName = (text: string): string => `"${line(text).replaceAll('"', "'")}"`

/** `2026-11-14 10:00 UTC` */
export const when = (timestamp: string): string => `${timestamp.slice(0, 10)} ${timestamp.slice(11, 16)} UTC`

export const count = (number: number, noun: string, plural = `${noun}s`): string =>
  `${number} ${number === 1 ? noun : plural}`

/** Says how much of a list this is, and how to get the rest. */
export function describePage(
  page: { total_count: number; next_cursor: string | null },
  shown: number,
  noun: string,
  plural?: string,
): string {
  const of = `${shown} of ${count(page.total_count, noun, plural)}`
  return page.next_cursor === null ? `${of}.` : `${of}. More: call again with after="${page.next_cursor}".`
}

interface PostLike {
  id: string
  title: string
  created_at: string
  last_activity_at: string
  comments_count: number
  channel: { name: string }
  author: Author
  resolution: Lean<{ resolved_at: string; resolved_by: Author }> | null
}

export const postLine = memoize((post: PostLike & { excerpt?: string }): string => {
  const where = `by ${quoteName(post.author.name)} in #${quoteName(post.channel.name)}, ${when(post.created_at)}`
  const state = `${count(post.comments_count, 'comment')}; ${stateOf(post)}; active ${when(post.last_activity_at)}`
  const first = `- ${quoteName(post.title)} (${post.id}) ${where}; ${state}`
  return post.excerpt ? `${first}\n${quote(post.excerpt)}` : first
})

export const stateOf = ({ resolution }: PostLike): string =>
  resolution ? `resolved by ${quoteName(resolution.resolved_by.name)}, ${when(resolution.resolved_at)}` : 'open'

interface ItemLike {
  id: string
  created_at: string
  parent_id: string | null
  author: Author
  reactions: EmojiCounts
}

/** A comment or a message. */
export const itemText = (item: ItemLike, text: string): string => {
  const reply = item.parent_id === null ? '' : `, in reply to ${item.parent_id}`
  const reactions = reactionsText(item.reactions, '; ')
  return `${quoteName(item.author.name)} (${item.id}), ${when(item.created_at)}${reply}${reactions}:\n${quote(text)}`
}

type EmojiCounts = readonly { emoji: string; count: number }[]

/** `reactions: 👍 3, 🎉 1`, after `before`; empty if there are none. */
export const reactionsText = (reactions: EmojiCounts, before: string): string =>
  reactions.length === 0
    ? ''
    : `${before}reactions: ${reactions.map(({ emoji, count }) => `${emoji} ${count}`).join(', ')}`

type HeavyField = 'avatar_urls' | 'content' | 'resolved_html'
const heavyFields: ReadonlySet<string> = new Set<HeavyField>(['avatar_urls', 'content', 'resolved_html'])

/** A record for agents: as in the API, but without HTML and the addresses of pictures, which would only cost tokens. */
type Lean<T> = T extends (infer E)[]
  ? Lean<E>[]
  : T extends object
    ? { [K in keyof T as K extends HeavyField ? never : K]: Lean<T[K]> }
    : T

export const lean = <T extends object>(value: T): Lean<T> => leanOnce(value) as Lean<T>

const leanOnce = memoize(strip)

function strip(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(strip)
  if (typeof value !== 'object' || value === null) return value
  const kept: Record<string, unknown> = {}
  for (const name in value) if (!heavyFields.has(name)) kept[name] = strip(value[name as keyof typeof value])
  return kept
}

/** A post with the beginning of its text, for lists. */
export const toExcerpt = memoize((post: Post) => ({ ...lean(post), excerpt: excerptOf(post.content) }))

type Written = Post | Comment | Message

type Reactions = Pick<EmojiCount, 'emoji' | 'count' | 'has_reacted'>[]

export interface WithText<T> {
  record: Lean<T> & { content_markdown: string; reactions: Reactions }
  /** The Markdown as a model reads it: with names instead of the ids of who is mentioned. */
  text: string
  /** The note that a post was resolved with. */
  note: string | null
}

/** Looks up the Markdown and the reactions of all records, with one request for each of the two. If there are many records, `shorten` cuts their texts. */
export async function withText<T extends Written>(
  api: AgentApi,
  records: readonly T[],
  shorten = (texts: string[]) => texts,
): Promise<WithText<T>[]> {
  if (records.length === 0) return []
  const ids = records.map(({ id }) => id)
  const [markdown, reacted] = await Promise.all([
    api.call('markdown.list', { ids }),
    api.call('reactions.list', { ids }),
  ])
  const sources = new Map<string, Source>(markdown.data.map((source) => [source.id, source]))
  const reactionsOf = new Map(reacted.data.map(({ subject_id, reactions }) => [subject_id, reactions]))
  // One that was deleted meanwhile has none.
  const texts = shorten(records.map(({ id }) => sources.get(id)?.content_markdown ?? ''))
  return records.map((record, at) => {
    const content_markdown = texts[at]!
    const { resolution_markdown = null } = sources.get(record.id) ?? {}
    const names = namesIn(record.content)
    const text = content_markdown.replace(/<@(\w+)>/g, (mention, id) => names.get(id) ?? mention)
    const reactions = (reactionsOf.get(record.id) ?? []).map(toCount)
    return { record: { ...lean(record), content_markdown, reactions }, text, note: resolution_markdown }
  })
}

const toCount = ({ emoji, count, has_reacted }: EmojiCount) => ({ emoji, count, has_reacted })

const MENTION =
  /<a class="mention" href="[^"]*\/((?:mem|group)_\w+)"[^>]*>(@[^<]*)<\/a>|<span class="mention">(@(channel|here))<\/span>/g

/** The names of the members and groups that rendered Markdown mentions, by id. */
const namesIn = (html: string): Map<string, string> =>
  new Map([...html.matchAll(MENTION)].map(([, id, name, everyone, who]) => [id ?? who!, name ?? everyone!]))

/** Tells who of those whom a written text mentions cannot see it, and was not notified: a line, or nothing. */
export async function tellUnreached(api: AgentApi, subject_id: string, html: string): Promise<string> {
  const ids = [...namesIn(html).keys()].slice(0, MAX_MENTIONED)
  if (ids.length === 0) return ''
  // The text is written: if this fails, it is only not told.
  const found = await api.call('audience.get', { subject_id, ids }).catch(() => undefined)
  const unreached = (found?.mentioned ?? []).filter(({ without_access_count }) => without_access_count > 0)
  if (unreached.length === 0) return ''
  const names = unreached.map(({ type, name, without_access_count }) =>
    type === 'group'
      ? `${count(without_access_count, 'person', 'people')} of the group ${quoteName(name)}`
      : quoteName(name),
  )
  return `\nNot notified, because they cannot see it: ${names.join(', ')}.`
}

/** Longer comments and messages are cut, so that neither one nor many of them can fill the context of a model. */
const MAX_LENGTH = 10_000
const MAX_TOTAL_LENGTH = 50_000

/** Cuts the longest of these texts, all to the same length, until they are short enough together. */
export function shortenAll(texts: readonly string[]): string[] {
  let limit = MAX_LENGTH
  let room = MAX_TOTAL_LENGTH
  const lengths = texts.map(({ length }) => length).sort((one, other) => one - other)
  for (const [at, length] of lengths.entries()) {
    limit = Math.min(MAX_LENGTH, Math.floor(room / (lengths.length - at)))
    if (length > limit) break
    room -= length
  }
  return texts.map((text) => shorten(text, limit))
}

const shorten = (text: string, limit: number): string =>
  text.length <= limit ? text : `${text.slice(0, limit).toWellFormed()} […${text.length - limit} more characters]`
