import { isEveryone } from '../../contract/browser/constants'
import { balanceBidi } from '../../contract/browser/fold'
import { toTitle as cleanTitle, isBlank } from '../names'
import { type Files, findFileIds, isFileId } from './files'
import { toHtml as htmlOf } from './html'
import {
  everyoneHtml,
  findMentions,
  type Mentioned,
  splitMentions,
  unknownMention,
  unknownMentionHtml,
} from './mentions'
import { parse } from './parse'
import { type Element, type Leaf, type Node, walk } from './tree'

export type { Files } from './files'
export type { Mentioned } from './mentions'

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
 * Of the ids that a text mentions, those that its HTML names. The HTML shows an id as it was written if its author could not see who
 * it is, or in code: who is both mentioned and in code counts as not named.
 */
export const namedIn = (mentioned: readonly string[], html: string): string[] =>
  mentioned.filter((id) => (isEveryone(id) ? html.includes(everyoneHtml(id)) : !html.includes(unknownMentionHtml(id))))

const TITLE_LENGTH = 120
/** How much of a line is looked at: more than a title is long, even with much white space. */
const MAX_LINE = 2_000

/** The first line of a parsed text that is not blank, shortened at a word. If a text consists only of files, it is the name of the first one. */
function toTitle(nodes: readonly Node[], mentioned: Mentioned, files: Files): string {
  const line = firstLine(nodes, mentioned) || firstFile(nodes, files)
  return balanceBidi(shorten(cleanTitle(line))) || 'Untitled'
}

/** The name of the first file that has a name. */
function firstFile(nodes: readonly Node[], files: Files): string {
  let name = ''
  walk(nodes, {
    enter: () => false,
    leave: () => false,
    leaf: (node) => {
      if (typeof node === 'string') return false
      if (node.type === 'file') name = nameOf(node.id, node.label, files)
      if (node.type === 'image' && isFileId(node.src)) name = nameOf(node.src, node.alt, files)
      return name !== ''
    },
  })
  return name
}

function nameOf(id: string, label: string, files: Files): string {
  const shown = label.slice(0, MAX_LINE)
  return isBlank(shown) ? (files.get(id)?.name ?? '') : shown
}

function firstLine(nodes: readonly Node[], mentioned: Mentioned): string {
  let line = ''
  /** A blank line is no title; the next one may be. */
  const endLine = () => {
    if (isBlank(line)) line = ''
    return line !== ''
  }
  walk(nodes, {
    enter: ({ type }) => !WITHIN_LINE.has(type) && endLine(),
    leave: ({ type }) => {
      if (type === 'th' || type === 'td') line += ' '
      return !WITHIN_LINE.has(type) && endLine()
    },
    leaf: (node) => {
      const [first, ...others] = textOf(node, mentioned).slice(0, MAX_LINE).split('\n')
      line += first
      for (const other of others) {
        if (endLine()) return true
        line = other
      }
      return line.length > MAX_LINE
    },
  })
  return isBlank(line) ? '' : line
}

const WITHIN_LINE: ReadonlySet<string> = new Set<Element['type']>([
  'strong',
  'em',
  'del',
  'codespan',
  'link',
  'th',
  'td',
])

function textOf(node: Leaf, mentioned: Mentioned): string {
  if (typeof node !== 'string') return node.type === 'literal' ? node.text : node.type === 'break' ? '\n' : ''
  return splitMentions(node.slice(0, MAX_LINE))
    .map((part, at) =>
      at % 2 === 0 ? part : mentioned.has(part) ? `@${mentioned.get(part)!.name}` : unknownMention(part),
    )
    .join('')
}

function shorten(text: string): string {
  const letters = [...text]
  if (letters.length <= TITLE_LENGTH) return text
  const cut = letters.slice(0, TITLE_LENGTH - 1).join('')
  return `${cut.replace(/\s+\S{0,20}$/, '')}…`
}
