import type { Mark, Node } from 'prosemirror-model'
import { findAddresses } from '../../contract/browser/bare-addresses'
import { isSame, readMarkdown } from './read'
import { schema } from './schema'

const { nodes, marks } = schema

/** A piece of a line: text, or a node that is not text. */
interface Run {
  text: string
  node?: Node
  marks: readonly Mark[]
}

/** How a line may be written. The first way that is read again as the same line is taken. */
interface Style {
  em: '_' | '*' | 'either'
  strong: '**' | '__'
  /** Whether every character that can have a meaning is escaped. */
  isSafe: boolean
  /** Whether letters beside emphasis are written as entities, so that it may begin and end there. */
  isEncoded: boolean
}

const STYLES: readonly Style[] = [false, true].flatMap((isEncoded) =>
  [false, true].flatMap((isSafe) => [
    { em: '_', strong: '**', isSafe, isEncoded } as const,
    { em: '*', strong: '**', isSafe, isEncoded } as const,
    { em: '_', strong: '__', isSafe, isEncoded } as const,
    { em: '*', strong: '__', isSafe, isEncoded } as const,
    { em: 'either', strong: '**', isSafe, isEncoded } as const,
  ]),
)

export type Place = 'paragraph' | 'heading' | 'cell' | 'task'

/** The content of a block as a line of Markdown, or several with line breaks. */
export function writeInline(block: Node, place: Place): string {
  const runs = toRuns(block, place)
  if (runs.length === 0) return ''
  const wanted = describe(runs)
  for (const style of STYLES) {
    const text = writeRuns(runs, place, style)
    if (isRead(text, wanted, place)) return text
  }
  // Emphasis that cannot be written, such as of half a word within another.
  const plain = runs.map((run) => ({
    ...run,
    marks: run.marks.filter(({ type }) => type === marks.code || type === marks.link),
  }))
  return writeRuns(plain, place, STYLES.find(({ isSafe }) => isSafe)!)
}

function isRead(text: string, wanted: string, place: Place): boolean {
  if (!/[^\p{L}\p{N} ,;?']/u.test(text)) return true
  // A line of a table or a heading cannot begin a block.
  const { doc, loss } = readMarkdown(place === 'paragraph' || place === 'task' ? text : `# ${text}`)
  const type = place === 'paragraph' || place === 'task' ? nodes.paragraph : nodes.heading
  if (loss !== undefined || doc.childCount !== 1) return false
  const read = doc.firstChild!
  if (read.type === nodes.file) return true
  return read.type === type && describe(toRuns(read, place)) === wanted
}

/** What is compared: the text with its marks, no matter in which pieces. */
function describe(runs: readonly Run[]): string {
  let described = ''
  let before = ''
  for (const { text, node, marks: set } of runs) {
    const names = [...set].map(
      ({ type, attrs }) => `${type.name}${type === marks.link ? JSON.stringify([attrs.href, attrs.title]) : ''}`,
    )
    const key = names.sort().join()
    if (key !== before) described += `\u0000${key}\u0000`
    before = key
    described += node ? `\u0000${node.type.name}${JSON.stringify(node.attrs)}\u0000` : text
  }
  return described
}

/** Emphasis can neither begin nor end with a space, nor can a line. */
function toRuns(block: Node, place: Place): Run[] {
  const runs: Run[] = []
  block.forEach((node) => {
    if (node.type === nodes.hard_break && place !== 'paragraph' && place !== 'task')
      runs.push({ text: ' ', marks: node.marks })
    else if (!node.isText) runs.push({ text: '', node, marks: node.marks })
    else if (marks.code.isInSet(node.marks)) runs.push({ text: node.text!, marks: node.marks })
    else for (const text of node.text!.split(/(\s+)/)) if (text !== '') runs.push({ text, marks: node.marks })
  })
  return joinRuns(trimLines(trimMarks(runs)))
}

const isCode = (run: Run) => marks.code.isInSet(run.marks) !== undefined
const isBreak = (run: Run | undefined) => run?.node?.type === nodes.hard_break
const isBlank = (run: Run) => isBreak(run) || (run.node === undefined && !isCode(run) && run.text.trim() === '')
const hasSame = (run: Run | undefined, mark: Mark) => run?.marks.some((other) => isSame(other, mark)) === true

function trimMarks(runs: readonly Run[]): Run[] {
  const trimmed = [...runs]
  const drop = (from: number, step: 1 | -1) => {
    for (let at = from; at >= 0 && at < trimmed.length; at += step) {
      const run = trimmed[at]!
      if (isBlank(run)) trimmed[at] = { ...run, marks: run.marks.filter((mark) => hasSame(trimmed[at - step], mark)) }
    }
  }
  drop(0, 1)
  drop(trimmed.length - 1, -1)
  return trimmed
}

function trimLines(runs: readonly Run[]): Run[] {
  const kept = runs.filter((run, at) => {
    if (!isBlank(run) || isBreak(run)) return true
    return at > 0 && at < runs.length - 1 && !isBreak(runs[at - 1]) && !isBreak(runs[at + 1])
  })
  let [start, end] = [0, kept.length]
  while (start < end && isBreak(kept[start])) start++
  while (end > start && isBreak(kept[end - 1])) end--
  // Two breaks in a row would end the paragraph.
  return kept.slice(start, end).filter((run, at, all) => !(isBreak(run) && isBreak(all[at - 1])))
}

function joinRuns(runs: readonly Run[]): Run[] {
  const joined: Run[] = []
  for (const run of runs) {
    const last = joined.at(-1)
    const isAlike =
      last &&
      !last.node &&
      !run.node &&
      last.marks.length === run.marks.length &&
      last.marks.every((mark) => hasSame(run, mark))
    if (isAlike) joined[joined.length - 1] = { ...last, text: last.text + run.text }
    else joined.push(run)
  }
  return joined
}

function writeRuns(runs: readonly Run[], place: Place, style: Style): string {
  let written = ''
  let spans = 0
  const open: { mark: Mark; close: string }[] = []

  for (let at = 0; at <= runs.length; at++) {
    const run = runs[at]
    const keep = open.findIndex(({ mark }) => !run || !hasSame(run, mark))
    const closing = keep < 0 ? [] : open.splice(keep).reverse()
    for (const { close } of closing) written += close
    if (!run) break
    const opening = toOpen(
      runs,
      at,
      open.map(({ mark }) => mark),
    )
    if (style.isEncoded && opening.some(isEmphasis)) written = encodeEnd(written)
    for (const mark of opening) {
      const [start, close] = delimiters(mark, style, spans++)
      if (start === '[' && written.endsWith('!')) written = `${written.slice(0, -1)}\\!`
      written += start
      open.push({ mark, close })
    }
    let text = writeRun(run, {
      place,
      style,
      isStart: written === '' || written.endsWith('\n'),
      isInLink: open.some(({ mark }) => mark.type === marks.link),
      next: runs[at + 1],
    })
    if (style.isEncoded && closing.length > 0) text = encodeStart(text)
    if (run.node && text.startsWith('[') && written.endsWith('!')) written = `${written.slice(0, -1)}\\!`
    written += text
  }
  return written
}

const isEmphasis = ({ type }: Mark) => type !== marks.link
const WORD_AT_END = /([\p{L}\p{N}])$/u
const WORD_AT_START = /^([\p{L}\p{N}])/u
const encode = (letter: string) => `&#${letter.codePointAt(0)};`
const encodeEnd = (text: string) => text.replace(WORD_AT_END, encode)
const encodeStart = (text: string) => text.replace(WORD_AT_START, encode)

/** The marks that begin at a run, the one that lasts longest first. */
function toOpen(runs: readonly Run[], at: number, open: readonly Mark[]): Mark[] {
  const isOpen = (mark: Mark) => open.some((other) => isSame(other, mark))
  const lengthOf = (mark: Mark) => {
    let end = at
    while (end < runs.length && hasSame(runs[end], mark)) end += 1
    return end
  }
  return runs[at]!.marks.filter((mark) => mark.type !== marks.code && !isOpen(mark)).sort(
    (a, b) =>
      lengthOf(b) - lengthOf(a) || nestingOf(a) - nestingOf(b) || RANK.indexOf(a.type.name) - RANK.indexOf(b.type.name),
  )
}

const nestingOf = ({ attrs }: Mark): number => attrs.nesting ?? 0
const RANK = ['link', 'em', 'strong', 'del']

function delimiters({ type, attrs }: Mark, style: Style, count: number): [open: string, close: string] {
  if (type === marks.link) return ['[', `](${writeAddress(attrs.href)}${writeTitle(attrs.title)})`]
  if (type === marks.del) return ['~~', '~~']
  const delimiter =
    type === marks.strong ? style.strong : style.em !== 'either' ? style.em : count % 2 === 0 ? '_' : '*'
  return [delimiter, delimiter]
}

interface Context {
  place: Place
  style: Style
  isStart: boolean
  isInLink: boolean
  next: Run | undefined
}

function writeRun(run: Run, context: Context): string {
  const text = run.node ? writeNode(run.node) : isCode(run) ? writeCode(run.text) : escapeText(run.text, context)
  return context.place === 'cell' ? (run.node || isCode(run) ? text.replaceAll('|', '\\|') : text) : text
}

function writeNode(node: Node): string {
  if (node.type === nodes.hard_break) return '\n'
  if (node.type === nodes.mention) return `<@${node.attrs.id}>`
  return writeImage(node.attrs)
}

export const writeImage = ({ src, alt, title }: Node['attrs']): string =>
  `![${writeLabel(alt)}](${writeAddress(src)}${writeTitle(title)})`

/** A text within brackets. */
export const writeLabel = (text: string): string =>
  text
    .replace(/\s+/g, ' ')
    .replace(/[\\`*_~[\]<!]/g, '\\$&')
    .replace(ENTITY, '\\$&')

const ENTITY = /&(?=#?\w+;)/g

export function writeAddress(url: string): string {
  const escaped = url.replace(/\\(?=[!-/:-@[-`{-~])/g, '\\\\').replace(ENTITY, '\\&')
  if (url === '' || /[\s<>]/.test(url)) return `<${escaped.replace(/[<>]/g, '\\$&').replace(/\n/g, '%0A')}>`
  return /^[^()]*(?:\([^()]*\)[^()]*)*$/.test(url) ? escaped : escaped.replace(/[()]/g, '\\$&')
}

const writeTitle = (title: string): string =>
  title === ''
    ? ''
    : ` "${title
        .replace(/[\\"]/g, '\\$&')
        .replace(ENTITY, '\\&')
        .replace(/\n\s*\n/g, '\n')}"`

/** Code with as many backticks around it as it needs. */
function writeCode(text: string): string {
  const runs = new Set((text.match(/`+/g) ?? []).map(({ length }) => length))
  let count = 1
  while (runs.has(count)) count += 1
  const fence = '`'.repeat(count)
  const needsSpace = /^`|`$/.test(text) || (/^ .* $/s.test(text) && text.trim() !== '')
  return needsSpace ? `${fence} ${text} ${fence}` : `${fence}${text}${fence}`
}

const ALWAYS = /[\\`*_~[\]<>|&!#]/g

function escapeText(text: string, { place, style, isStart, isInLink, next }: Context): string {
  const escaped = style.isSafe
    ? text.replace(ALWAYS, '\\$&')
    : escapeWhereNeeded(text, { isInLink, isLast: next === undefined })
  const inCell = place === 'cell' && !style.isSafe ? escaped.replaceAll('|', '\\|') : escaped
  // Spaces at the end of a heading are no part of it, and neither are number signs.
  const ended = place === 'heading' && !next ? inCell.replace(/(?<!\\)(#+)$/, '\\$1') : inCell
  const isLine = place === 'paragraph' || place === 'task'
  return isStart && isLine ? escapeStart(ended, next) : ended
}

/** What would begin another block, at the beginning of a line. */
function escapeStart(line: string, next: Run | undefined): string {
  const isWhole = next === undefined || isBreak(next)
  const space = isWhole ? String.raw`(?=\s|$)` : String.raw`(?=\s)`
  return line
    .replace(new RegExp(`^(#{1,6})${space}`), '\\$1')
    .replace(new RegExp(`^([-+*])${space}`), '\\$1')
    .replace(new RegExp(String.raw`^(\d{1,9})([.)])${space}`), '$1\\$2')
    .replace(/^>/, '\\>')
    .replace(/^([-=]+\s*)$/, '\\$1')
    .replace(/^(?:[-*_][ \t]*){3,}$/, '\\$&')
    .replace(/^(~{3,})/, '\\$1')
    .replace(/^(\[[^\]]*\]:)/, '\\$1')
    .replace(/^(\[[ xX]?\])(?=\s|$)/, '\\$1')
    .replace(/^[|:-][|:\s-]*-[|:\s-]*$/, '\\$&')
}

function escapeWhereNeeded(text: string, { isInLink, isLast }: { isInLink: boolean; isLast: boolean }): string {
  let escaped = ''
  let done = 0
  for (const { start, end } of findAddresses(text)) {
    escaped += escapePart(text, done, start, { isInLink, isLast }) + text.slice(start, end)
    done = end
  }
  return escaped + escapePart(text, done, text.length, { isInLink, isLast })
}

const SPACE = /^\s?$/
const WORD = /[\p{L}\p{N}]/u

function escapePart(
  text: string,
  from: number,
  to: number,
  { isInLink, isLast }: { isInLink: boolean; isLast: boolean },
): string {
  return text.slice(from, to).replace(/[\\`*_~[\]<&]/g, (letter, index: number) => {
    const at = from + index
    const [before, after] = [text[at - 1] ?? '', text[at + 1] ?? '']
    const isApart = SPACE.test(before) && SPACE.test(after) && (after !== '' || isLast)
    const needsEscape = {
      '\\': after === '' || /[!-/:-@[-`{-~]/.test(after),
      '`': true,
      '*': !isApart,
      _: !isApart && !(WORD.test(before) && WORD.test(after)),
      '~': !isApart && !(after === '' && isLast),
      '[': isInLink,
      ']': isInLink || after === '(' || after === '[' || after === ':',
      '<': after === '' || /[a-z/!?@]/i.test(after),
      '&': /^&#?\w+;/.test(text.slice(at, at + 40)),
    }[letter]
    return needsEscape ? `\\${letter}` : letter
  })
}
