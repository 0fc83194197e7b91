import type { Terms } from './terms'

/** Bits of a signature: as many as a bitwise operation of JavaScript keeps positive. */
const BITS = 31

/** Bits that the words of a title set. A title has all words of a query only if its signature has all bits of the query. */
export function titleSignature(tokens: readonly string[]): number {
  let signature = 0
  for (const token of tokens) signature |= 1 << (hash(token) % BITS)
  return signature
}

/** The beginning of a word sets no bit. */
export const querySignature = ({ all }: Terms): number =>
  titleSignature(all.flatMap(({ tokens, isPrefix }) => (isPrefix ? tokens.slice(0, -1) : tokens)))

export const mayHaveAll = (title: number, query: number): boolean => (title & query) === query

/** FNV-1a. It is stored, so it must stay as it is. */
function hash(token: string): number {
  let value = 0x811c9dc5
  for (let at = 0; at < token.length; at++) value = Math.imul(value ^ token.charCodeAt(at), 0x01000193)
  return value >>> 0
}
