import { escapeHtml } from './attributes'
import { type Node, walk } from './tree'

/** Who is mentioned, by id: the name that is shown, and where it leads. */
export type Mentioned = ReadonlyMap<string, { name: string; href: string }>

const MENTION = /<@((?:mem|app)_[0-9a-z]{26})>/
const MENTION_LENGTH = 33
const MAX_MENTIONS = 50

/** A text, cut where someone is mentioned: every other part is an id. */
export const splitMentions = (text: string): string[] =>
  text.length >= MENTION_LENGTH && text.includes('<@') ? text.split(MENTION) : [text]

/** The ids a parsed text mentions, each once. */
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
