import { toPlainText } from '../../contract/browser/excerpt'
import { tokensOf } from './tokens'

/** The tokens of a record, as they are indexed. */
export interface DocumentTokens {
  title: string[]
  content: string[]
}

/**
 * How many bytes of UTF-8 the different tokens of a document may take. A `tsvector` of PostgreSQL holds at most 1 MiB. What
 * comes after that in a text is not found, on either engine.
 */
export const MAX_TOKENS_BYTES = 900_000

/** Between two texts of a document, so that no phrase is found across them. A private character, which no token contains. */
export const TEXT_SEPARATOR = '\ue000'

/** The texts in `content` are apart from each other: what a post says, and the note of its resolution. */
export function documentTokens(document: { title: string; content: readonly string[] }): DocumentTokens {
  const title = tokensOf(document.title)
  const content = document.content.flatMap((text, at) =>
    at === 0 ? tokensOf(text) : [TEXT_SEPARATOR, ...tokensOf(text)],
  )
  return limitTokens({ title, content })
}

function limitTokens(document: DocumentTokens): DocumentTokens {
  const left = { bytes: MAX_TOKENS_BYTES, known: new Set<string>() }
  const title = document.title.slice(0, countFitting(document.title, left))
  return { title, content: document.content.slice(0, countFitting(document.content, left)) }
}

/** How many tokens fit into the bytes that are left. Subtracts them from `left`. */
function countFitting(tokens: readonly string[], left: { bytes: number; known: Set<string> }): number {
  for (const [at, token] of tokens.entries()) {
    if (left.known.has(token)) continue
    left.known.add(token)
    left.bytes -= Buffer.byteLength(token)
    if (left.bytes < 0) return at
  }
  return tokens.length
}

/** The text that a reader sees of rendered Markdown, in lines. It is what is indexed: a change of it has everything indexed again. */
export const plainText = (html: string): string =>
  toPlainText(html, () => '\n')
    .replace(/\n{2,}/g, '\n')
    .trim()
