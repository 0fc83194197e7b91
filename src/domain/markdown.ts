import { toHtml as htmlOf } from './markdown/html'
import { findMentions, type Mentioned } from './markdown/mentions'
import { parse } from './markdown/parse'
import { toTitle } from './markdown/title'

export type { Mentioned } from './markdown/mentions'

const NOBODY: Mentioned = new Map()

/** A text, parsed once for all that is made of it. */
export function readMarkdown(markdown: string) {
  const nodes = parse(markdown)
  return {
    /** The ids it mentions: `<@id>`, in text and never in code. */
    mentions: () => findMentions(nodes),
    /** HTML that is safe to show as it is. */
    toHtml: (mentioned: Mentioned = NOBODY) => htmlOf(nodes, mentioned),
    /** The title of a post that was given none. */
    toTitle: (mentioned: Mentioned = NOBODY) => toTitle(nodes, mentioned),
  }
}

export const toHtml = (markdown: string, mentioned?: Mentioned): string => readMarkdown(markdown).toHtml(mentioned)

export const mentionsIn = (markdown: string): string[] =>
  markdown.includes('<@') ? readMarkdown(markdown).mentions() : []
