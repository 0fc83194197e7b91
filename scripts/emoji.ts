import { join } from 'node:path'
import emoji from 'emojibase-data/en/compact.json'
import messages from 'emojibase-data/en/messages.json'
import shortcodes from 'emojibase-data/en/shortcodes/github.json'

export const emojiFile = join(import.meta.dir, '../src/web/data/emoji.txt')

const COMPONENTS = 2
const known: Record<string, string | string[]> = shortcodes

/**
 * The emoji of the picker, which GitHub has a name for: `# group`, then a line of tab-separated emoji, names and
 * other words for each.
 */
export function listEmoji(): string {
  const lines = messages.groups.flatMap(({ order, message }) => {
    if (order === COMPONENTS) return []
    const title = message[0]!.toUpperCase() + message.slice(1)
    const members = emoji.filter(({ group, hexcode }) => group === order && known[hexcode])
    return [`# ${title}`, ...members.map(toLine)]
  })
  return `${['From emojibase-data, MIT licence, © Miles Johnson', ...lines].join('\n')}\n`
}

function toLine({ unicode, hexcode, label, tags = [] }: (typeof emoji)[number]): string {
  const names = [known[hexcode]!].flat()
  const inNames = new Set(names.flatMap((name) => name.split('_')))
  const words = new Set([...label.split(/\W+/), ...tags].map((word) => word.toLowerCase()))
  return [withoutSelector(unicode), names.join(' '), [...words].filter((word) => word && !inNames.has(word)).join(' ')]
    .join('\t')
    .trimEnd()
}

/** Most emoji are shown in colour without being told so, and keyboards write them like that. */
const withoutSelector = (emoji: string) => emoji.replace(/^(\p{Emoji_Presentation})\uFE0F$/u, '$1')

if (import.meta.main) await Bun.write(emojiFile, listEmoji())
