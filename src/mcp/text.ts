import { withoutBidi } from '../contract/bidi'
import { memoize } from './memoize'
import type { Lean } from './records'

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
