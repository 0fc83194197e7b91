export const operators = ['in', 'from', 'is', 'before', 'after'] as const
export type Operator = (typeof operators)[number]

/** The values of `is:`. */
export const states = ['open', 'resolved', 'post', 'comment', 'message'] as const
export type State = (typeof states)[number]

/** Scripts in which any part of a word is found: scripts without spaces between words, and Korean. */
export const unspacedScripts = [
  ...['Han', 'Hiragana', 'Katakana', 'Bopomofo', 'Hangul', 'Yi', 'Tangut', 'Nushu', 'Khitan_Small_Script'],
  ...['Thai', 'Lao', 'Khmer', 'Myanmar', 'Tibetan', 'Tai_Le', 'New_Tai_Lue', 'Tai_Tham', 'Tai_Viet', 'Ahom'],
  ...['Javanese', 'Balinese'],
]

/** Where a part is in the query. */
interface Span {
  start: number
  end: number
}

export interface QueryWord extends Span {
  kind: 'words'
  text: string
  isPhrase: boolean
  isExcluded: boolean
  isPrefix: boolean
  inTitle: boolean
}

/**
 * A filter such as `in:general`. The value has no quotes, and no `#` or `@` before the name of a channel or person. Whether
 * a name or date exists is not known here.
 */
export interface QueryOperator extends Span {
  kind: 'operator'
  name: Operator
  value: string
  isExcluded: boolean
}

export type QueryPart = QueryWord | QueryOperator

/** The parts of what someone typed into the search box. Every text is a query: what is no syntax is words. */
export function parseSearchQuery(q: string): QueryPart[] {
  const parts: QueryPart[] = []
  for (const match of q.matchAll(PART)) {
    const part = toPart(match)
    if (part) parts.push(part)
  }
  return parts
}

// Not only plain quotes: phones and word processors replace them. Guillemets are closed by guillemets alone.
const QUOTED = '["“”„‟＂](?<quoted>[^"“”„‟＂]*)["“”„‟＂]?|[«»](?<guillemets>[^«»]*)[«»]?'
const SPACE = '\\p{White_Space}\\ufeff'
const MINUS = '\\-－−'
/** The names in lower or upper case. Not by the flag `i`, which would accept ſ for s as well. */
const NAME = ['title', ...operators]
  .map((name) => name.replace(/./g, (letter) => `[${letter}${letter.toUpperCase()}]`))
  .join('|')
/** A minus has white space before it and a word after it; a name has something after it. */
const PART = new RegExp(
  [
    `(?<minus>(?<![^${SPACE}])[${MINUS}](?![${SPACE}${MINUS}]|$))?`,
    `(?:(?<name>${NAME})[:：](?![${SPACE}]|$))?`,
    `(?:${QUOTED}|(?<word>[^${SPACE}]+))`,
  ].join(''),
  'gu',
)

function toPart(match: RegExpMatchArray): QueryPart | undefined {
  const { minus, name = '', quoted, guillemets, word } = match.groups!
  const phrase = quoted ?? guillemets
  const operator = name.toLowerCase()
  const span = { start: match.index!, end: match.index! + match[0].length }
  const flags = { isExcluded: minus !== undefined, inTitle: operator === 'title' }

  if (isOperator(operator)) {
    const value = operatorValue(operator, phrase ?? word!, flags.isExcluded)
    if (value === '') return toWord(match[0], { isExcluded: false, inTitle: false }, span)
    return { kind: 'operator', name: operator, value, isExcluded: flags.isExcluded, ...span }
  }
  if (phrase === undefined) return toWord(word!, flags, span)
  if (phrase.trim() === '') return undefined
  return { kind: 'words', text: phrase, isPhrase: true, isPrefix: false, ...flags, ...span }
}

function toWord(word: string, flags: Pick<QueryWord, 'isExcluded' | 'inTitle'>, span: Span): QueryWord {
  const text = word.replace(/(?<=[^*＊])[*＊]+$/, '')
  return { kind: 'words', text, isPhrase: false, isPrefix: text !== word, ...flags, ...span }
}

const isOperator = (name: string): name is Operator => (operators as readonly string[]).includes(name)

/** Empty if the operator cannot have this value. */
function operatorValue(name: Operator, text: string, isExcluded: boolean): string {
  const value = text.trim()
  if (name === 'in' || name === 'from') return value.replace(/^[#@＃＠]/, '').trim()
  if (name === 'is') return value.toLowerCase()
  return isExcluded ? '' : value
}
