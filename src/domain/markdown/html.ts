import { checkBoxHtml } from '../../contract/check-boxes'
import { findAddresses, safeUrl } from './addresses'
import { attribute, escapeHtml, REL } from './attributes'
import { fileBlockHtml, fileImageHtml, fileLinkTags } from './file-html'
import { type Files, isFileId } from './files'
import { type Mentioned, splitMentions, unknownMentionHtml } from './mentions'
import { type Element, type Image, type Leaf, type Node, walk } from './tree'

/** Deeper quotations, lists and emphasis lose their tags: browsers stop nesting at some depth too. */
const MAX_DEPTH = 100
const LINK_SCHEMES = ['http', 'https', 'mailto']
const IMAGE_SCHEMES = ['http', 'https']

/**
 * A parsed text as HTML. It is safe by construction: all tags and attributes are written here, in `file-html.ts` and in
 * `contract/check-boxes.ts`, all else is escaped, and addresses have a scheme that runs nothing.
 */
export function toHtml(nodes: readonly Node[], mentioned: Mentioned, files: Files): string {
  const parts: string[] = []
  const closing: string[] = []
  let isCode = false
  let links = 0

  walk(nodes, {
    enter(element, depth) {
      const { type } = element
      // The parser finds a link in a link where a bracket is escaped; browsers would close the outer one.
      const [open, close] = type === 'link' && links > 0 ? NO_TAGS : tagsOf(element, depth, files)
      const isBlock = BLOCKS.has(type)
      if (isBlock) startLine(parts)
      parts.push(open)
      closing.push(isBlock ? `${close}\n` : close)
      if (type === 'link') links += 1
      isCode = type === 'code' || type === 'codespan'
    },
    leave({ type }) {
      parts.push(closing.pop()!)
      if (type === 'link') links -= 1
      isCode = false
    },
    leaf(node) {
      if (typeof node === 'object' && node.type === 'file') startLine(parts)
      if (typeof node !== 'string') parts.push(leafHtml(node, files, links > 0))
      else if (isCode) parts.push(escapeHtml(node))
      else parts.push(textHtml(node, mentioned, links > 0))
    },
  })
  return parts.join('').trim()
}

function startLine(parts: string[]) {
  if (parts.length > 0 && !parts.at(-1)!.endsWith('\n')) parts.push('\n')
}

const BLOCKS: ReadonlySet<string> = new Set<Element['type']>([
  ...(['paragraph', 'heading', 'blockquote', 'code', 'list', 'item'] as const),
  ...(['table', 'thead', 'tbody', 'tr', 'th', 'td'] as const),
])

type Tags = readonly [open: string, close: string]

const tags = (name: string, attributes = ''): Tags => [`<${name}${attributes}>`, `</${name}>`]
const NO_TAGS: Tags = ['', '']

const PLAIN_TAGS = {
  paragraph: tags('p'),
  codespan: tags('code'),
  blockquote: tags('blockquote'),
  item: tags('li'),
  strong: tags('strong'),
  em: tags('em'),
  del: tags('del'),
  table: tags('table'),
  thead: tags('thead'),
  tbody: tags('tbody'),
  tr: tags('tr'),
}

function tagsOf(element: Element, depth: number, files: Files): Tags {
  if (depth >= MAX_DEPTH && NESTING.has(element.type)) return NO_TAGS
  // An item is one deeper than its list.
  if (depth > MAX_DEPTH && element.type === 'item') return NO_TAGS
  switch (element.type) {
    case 'heading':
      return tags(`h${element.level}`)
    case 'code':
      return codeTags(element.language)
    case 'list':
      return listTags(element.start)
    case 'link':
      return isFileId(element.href) ? fileLinkTags(element, files) : linkTags(element.href, element.title)
    case 'th':
    case 'td':
      return element.align ? tags(element.type, ` align="${element.align}"`) : tags(element.type)
    default:
      return PLAIN_TAGS[element.type]
  }
}

const NESTING: ReadonlySet<string> = new Set<Element['type']>(['blockquote', 'list', 'strong', 'em', 'del', 'link'])

function codeTags(language: string | undefined): Tags {
  const isName = language !== undefined && /^[\w+#-]{1,30}$/.test(language)
  return [`<pre><code${isName ? ` class="language-${language}"` : ''}>`, '</code></pre>']
}

const listTags = (start: number | undefined): Tags =>
  start === undefined ? tags('ul') : start === 1 ? tags('ol') : tags('ol', ` start="${start}"`)

/** What leads nowhere safe is no link. */
function linkTags(url: string, title: string | undefined): Tags {
  const href = safeUrl(url, LINK_SCHEMES)
  return href === undefined ? NO_TAGS : [`<a ${attribute('href', href)}${titled(title)} ${REL}>`, '</a>']
}

function leafHtml(node: Exclude<Leaf, string>, files: Files, isInLink: boolean): string {
  switch (node.type) {
    case 'literal':
      return escapeHtml(node.text)
    case 'break':
      return '<br />\n'
    case 'rule':
      return '<hr />\n'
    case 'checkbox':
      return checkBoxHtml(node.isChecked)
    case 'image':
      return isFileId(node.src) ? fileImageHtml(node, files, isInLink) : imageHtml(node)
    case 'file':
      return `${fileBlockHtml(node, files)}\n`
  }
}

function imageHtml({ src, alt, title }: Image): string {
  const url = safeUrl(src, IMAGE_SCHEMES)
  if (url === undefined) return escapeHtml(alt)
  return `<img ${attribute('src', url)} ${attribute('alt', alt)}${titled(title)} loading="lazy" referrerpolicy="no-referrer" />`
}

const titled = (title: string | undefined) => (title ? ` ${attribute('title', title)}` : '')

/** Text with its mentions and bare addresses as links; inside a link, where no other link can be, as text. */
function textHtml(text: string, mentioned: Mentioned, isInLink: boolean): string {
  return splitMentions(text)
    .map((part, at) => {
      if (at % 2 === 1) return mentionHtml(part, mentioned, isInLink)
      return isInLink ? escapeHtml(part) : linkAddresses(part)
    })
    .join('')
}

function mentionHtml(id: string, mentioned: Mentioned, isInLink: boolean): string {
  const who = mentioned.get(id)
  if (!who) return unknownMentionHtml(id)
  const name = `@${escapeHtml(who.name)}`
  return isInLink ? name : `<a class="mention" ${attribute('href', who.href)} ${REL}>${name}</a>`
}

function linkAddresses(text: string): string {
  let html = ''
  let done = 0
  for (const { start, end, href } of findAddresses(text)) {
    const [open, close] = linkTags(href, undefined)
    html += escapeHtml(text.slice(done, start)) + open + escapeHtml(text.slice(start, end)) + close
    done = end
  }
  return done === 0 ? escapeHtml(text) : html + escapeHtml(text.slice(done))
}
