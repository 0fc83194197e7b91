import { isEveryone } from '../../contract/browser/constants'
import { escapeHtml } from './attributes'
import { type Node, walk } from './tree'

/** Who is mentioned, by what the text names them: the name that is shown, and where it leads, if anywhere. */
export type Mentioned = ReadonlyMap<string, { name: string; href: string | undefined }>

const MENTION = /<@((?:mem|app|group)_[0-9a-z]{26}|channel|here)>/
/** The length of the shortest, `<@here>`. */
const MIN_LENGTH = 7
const MAX_MENTIONS = 50

/** A text, cut where someone is mentioned: every other part is an id, `channel` or `here`. */
export const splitMentions = (text: string): string[] =>
  text.length >= MIN_LENGTH && text.includes('<@') ? text.split(MENTION) : [text]

/** What a parsed text mentions, each once: ids, `channel` and `here`. */
export function findMentions(nodes: readonly Node[]): string[] {
  const ids = new Set<string>()
  let isCode = false
  walk(nodes, {
    enter: ({ type }) => {
      isCode = type === 'code' || type === 'codespan'
    },
    leave: () => {
      isCode = false
    },
    leaf: (node) => {
      if (isCode || typeof node !== 'string') return false
      splitMentions(node).forEach((part, at) => void (at % 2 === 1 && ids.add(part)))
      return ids.size >= MAX_MENTIONS
    },
  })
  return [...ids].slice(0, MAX_MENTIONS)
}

/** A mention of nobody, or of someone the author cannot see, is shown as it was written. Everyone has a name in any case. */
export const unknownMention = (id: string): string => (isEveryone(id) ? `@${id}` : `<@${id}>`)
export const unknownMentionHtml = (id: string): string => escapeHtml(unknownMention(id))

export const everyoneHtml = (who: string): string => `<span class="mention">@${escapeHtml(who)}</span>`
