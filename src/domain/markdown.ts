import { type Files, findFileIds } from './markdown/files'
import { toHtml as htmlOf } from './markdown/html'
import { findMentions, type Mentioned, unknownMentionHtml } from './markdown/mentions'
import { parse } from './markdown/parse'
import { toTitle } from './markdown/title'

export type { Files } from './markdown/files'
export type { Mentioned } from './markdown/mentions'

const NOBODY: Mentioned = new Map()
const NO_FILES: Files = new Map()

/** A text, parsed once for all that is made of it. */
export function readMarkdown(markdown: string) {
  const nodes = parse(markdown)
  return {
    /** The ids it mentions: `<@id>`, in text and never in code. */
    mentions: () => findMentions(nodes),
    /** The ids of the files it references, as images or links. */
    fileIds: () => findFileIds(nodes),
    /** HTML that is safe to show as it is. */
    toHtml: (mentioned: Mentioned = NOBODY, files: Files = NO_FILES) => htmlOf(markdown, nodes, mentioned, files),
    /** The title of a post that was given none. */
    toTitle: (mentioned: Mentioned = NOBODY, files: Files = NO_FILES) => toTitle(nodes, mentioned, files),
  }
}

export const toHtml = (markdown: string, mentioned?: Mentioned, files?: Files): string =>
  readMarkdown(markdown).toHtml(mentioned, files)

export const mentionsIn = (markdown: string): string[] =>
  markdown.includes('<@') ? readMarkdown(markdown).mentions() : []

/**
 * The ids that a text mentions and that its HTML names. The HTML shows an id as it was written if its author could not see who it
 * is, or in code: who is both mentioned and in code counts as not named.
 */
export const namedIn = (markdown: string, html: string): string[] =>
  mentionsIn(markdown).filter((id) => !html.includes(unknownMentionHtml(id)))
