import type { Comment } from '../contract/comments'
import { excerptOf } from '../contract/excerpt'
import type { Source } from '../contract/markdown'
import type { Message } from '../contract/messages'
import type { Post } from '../contract/posts'
import type { EmojiCount } from '../contract/reactions'
import type { AgentApi } from './agent-api'
import { memoize } from './memoize'

type HeavyField = 'avatar_urls' | 'content' | 'resolved_html'
const heavyFields: ReadonlySet<string> = new Set<HeavyField>(['avatar_urls', 'content', 'resolved_html'])

/** A record for agents: as in the API, but without HTML and the addresses of pictures, which would only cost tokens. */
export type Lean<T> = T extends (infer E)[]
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

const MENTION = /<a class="mention" href="[^"]*\/(mem_\w+)"[^>]*>(@[^<]*)<\/a>/g

/** The names of the members that rendered Markdown mentions, by id. */
const namesIn = (html: string): Map<string, string> =>
  new Map([...html.matchAll(MENTION)].map(([, id, name]) => [id!, name!]))
