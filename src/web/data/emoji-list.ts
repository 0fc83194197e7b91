import text from './emoji.txt' with { type: 'text' }

export interface Emoji {
  emoji: string
  /** As in `:tada:`, the usual one first. */
  names: string[]
  /** Other words that find it. */
  words: string[]
  /** The picture of a custom emoji. */
  url?: string
}

export interface EmojiGroup {
  title: string
  emoji: Emoji[]
}

/** All emoji, see scripts/emoji.ts. Large: import it only when it is needed. */
export const emojiGroups: EmojiGroup[] = text
  .split('\n# ')
  .slice(1)
  .map((group) => {
    const [title, ...lines] = group.trim().split('\n')
    return { title: title!, emoji: lines.map(parse) }
  })

function parse(line: string): Emoji {
  const [emoji, names, words = ''] = line.split('\t')
  return { emoji: emoji!, names: names!.split(' '), words: words.split(' ') }
}

const allEmoji = emojiGroups.flatMap((group) => group.emoji)

export const findEmoji = (name: string): Emoji | undefined => allEmoji.find(({ names }) => names.includes(name))

/** The emoji for a character, if it is one of the list. */
export const findCharacter = (character: string): Emoji | undefined => allEmoji.find(({ emoji }) => emoji === character)

/** Emoji whose name or other words match, the best match first. */
export function searchEmoji(query: string, limit: number): Emoji[] {
  const wanted = query.trim().toLowerCase().replaceAll(' ', '_')
  return allEmoji
    .map((emoji) => ({ emoji, rank: rank(emoji, wanted) }))
    .filter((found) => found.rank < NO_MATCH)
    .sort((a, b) => a.rank - b.rank)
    .slice(0, limit)
    .map(({ emoji }) => emoji)
}

const NO_MATCH = 5

function rank({ names, words }: Emoji, wanted: string): number {
  if (names.includes(wanted)) return 0
  if (names.some((name) => name.startsWith(wanted))) return 1
  if (names.some((name) => name.includes(`_${wanted}`))) return 2
  if (words.some((word) => word.startsWith(wanted))) return 3
  return names.some((name) => name.includes(wanted)) ? 4 : NO_MATCH
}
