import type { Node } from 'prosemirror-model'
import { readMarkdown } from './read'
import { rewriteMarkdown } from './write'

/**
 * The document of a text, if it holds all of it: what is written of the document is read as the same document again. Other texts,
 * such as those with definitions of links, can only be edited as Markdown.
 */
export function toDocument(markdown: string): Node | undefined {
  const { doc, loss } = readMarkdown(markdown)
  if (loss !== undefined) return undefined
  const again = readMarkdown(rewriteMarkdown(doc))
  return again.loss === undefined && again.doc.eq(doc) ? doc : undefined
}
