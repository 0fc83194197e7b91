import { escapeHtml } from './attributes'
import { type Node, walk } from './tree'

/** Who is mentioned, by what the text names them: the name that is shown, and where it leads, if anywhere. */
export type Mentioned = ReadonlyMap<string, { name: string; href: string | undefined }>

/** What names everyone in the channel of a text, and those of them who are online. */
export const everyone = ['channel', 'here'] as const
export type Everyone = (typeof everyone)[number]
export const isEveryone = (id: string): id is Everyone => (everyone as readonly string[]).includes(id)

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

/** A mention of nobody, or of someone the author cannot see, is shown as it was written. */
export const unknownMentionHtml = (id: string): string => escapeHtml(`<@${id}>`)
