import { findAddresses, safeUrl } from '../../contract/browser/bare-addresses'
import { checkBoxHtml } from '../../contract/browser/constants'
import { attribute, escapeHtml, REL } from './attributes'
import { type Files, fileBlockHtml, fileImageHtml, fileLinkTags, fileLinkText, fileText, isFileId } from './files'
import { everyoneHtml, type Mentioned, splitMentions, unknownMentionHtml } from './mentions'
import { type Element, type Image, type Leaf, type Node, walk } from './tree'

/** Deeper quotations, lists and emphasis lose their tags: browsers stop nesting at some depth too. */
const MAX_DEPTH = 100
const LINK_SCHEMES = ['http', 'https', 'mailto']
const IMAGE_SCHEMES = ['http', 'https']

/** HTML is at most this long, in bytes: what an author sends must not cost its readers many times as much. */
const maxHtmlBytes = (markdown: string): number => 4 * Buffer.byteLength(markdown) + 4 * 1024

/**
 * A text as HTML. It is safe by construction: all tags and attributes are written here, in `files.ts` and in
 * `contract/browser/constants.ts`, all else is escaped, and addresses have a scheme that runs nothing. What would be longer than
 * `maxHtmlBytes` loses white space between tags, then the links at its end, then all tags.
 */
export function toHtml(markdown: string, nodes: readonly Node[], mentioned: Mentioned, files: Files): string {
  const max = maxHtmlBytes(markdown)
  const whole = render(nodes, mentioned, files, { isCompact: false, room: Number.POSITIVE_INFINITY, max })
  if (whole !== undefined && Buffer.byteLength(whole) <= max) return whole

  const withoutLinks = render(nodes, mentioned, files, { isCompact: true, room: Number.NEGATIVE_INFINITY, max })
  const room = withoutLinks === undefined ? -1 : max - Buffer.byteLength(withoutLinks)
  if (room < 0) return toPlainHtml(markdown)
  return render(nodes, mentioned, files, { isCompact: true, room, max })!
}

interface Length {
  /** Without white space between tags, alignment and languages of code. */
  isCompact: boolean
  /** How many bytes links, images, files and check boxes may add to their text; below 0, all of them are text. */
  room: number
  /** Rendering is given up beyond. */
  max: number
}

function render(nodes: readonly Node[], mentioned: Mentioned, files: Files, { isCompact, room, max }: Length) {
  const parts: string[] = []
  const closing: string[] = []
  let length = 0
  let isCode = false
  let links = 0
  const breakHtml = isCompact ? '<br />' : '<br />\n'

  walk(nodes, {
    enter(element, depth) {
      const { type } = element
      const [open, close] = tagsOfElement(element, depth)
      const isLine = BLOCKS.has(type) && !isCompact
      if (isLine) startLine()
      push(open)
      closing.push(isLine ? `${close}\n` : close)
      if (type === 'link') links += 1
      isCode = type === 'code' || type === 'codespan'
    },
    leave({ type }) {
      push(closing.pop()!)
      if (type === 'link') links -= 1
      isCode = false
      return length > max
    },
    leaf(node) {
      if (typeof node === 'object' && node.type === 'file') startLine()
      push(htmlOfLeaf(node))
      return length > max
    },
  })
  return length > max ? undefined : parts.join('').trim()

  function push(part: string) {
    parts.push(part)
    length += part.length
  }

  function startLine() {
    if (!isCompact && parts.length > 0 && !parts.at(-1)!.endsWith('\n')) push('\n')
  }

  /** Whether there is room for HTML in place of its text. Once there is not, all that follows is text: check boxes are found by their number. */
  function hasRoom(html: string, text: string): boolean {
    if (room === Number.POSITIVE_INFINITY) return true
    const added = Buffer.byteLength(html) - Buffer.byteLength(text)
    room = added > room ? Number.NEGATIVE_INFINITY : room - added
    return room >= 0
  }

  function tagsOfElement(element: Element, depth: number): Tags {
    if (element.type !== 'link') return tagsOf(element, depth, isCompact)
    // The parser finds a link in a link where a bracket is escaped; browsers would close the outer one.
    if (links > 0 || depth >= MAX_DEPTH) return NO_TAGS
    const isFile = isFileId(element.href)
    const text = isFile ? fileLinkText(element) : NO_TAGS
    if (room < 0) return text
    const given = isFile ? fileLinkTags(element, files) : linkTags(element.href, element.title)
    return hasRoom(given.join(''), text.join('')) ? given : text
  }

  function htmlOfLeaf(node: Leaf): string {
    if (typeof node === 'string') return isCode ? escapeHtml(node) : textHtml(node).replaceAll('\n', breakHtml)
    const text = textOfLeaf(node)
    if (text !== undefined && room < 0) return text
    const html = leafHtml(node, files, links > 0, isCompact)
    return text === undefined || hasRoom(html, text) ? html : text
  }

  /** Text with its mentions and bare addresses as links; inside a link, where no other link can be, as text. */
  function textHtml(text: string): string {
    return splitMentions(text)
      .map((part, at) => {
        if (at % 2 === 1) return mentionHtml(part)
        return links > 0 || room <= 0 ? escapeHtml(part) : linkAddresses(part)
      })
      .join('')
  }

  /** A mention of nobody is shown as it was written. */
  function mentionHtml(id: string): string {
    const who = mentioned.get(id)
    if (!who) return unknownMentionHtml(id)
    const name = `@${escapeHtml(who.name)}`
    const html =
      who.href === undefined
        ? everyoneHtml(who.name)
        : `<a class="mention" ${attribute('href', who.href)} ${REL}>${name}</a>`
    return links === 0 && hasRoom(html, name) ? html : name
  }

  function linkAddresses(text: string): string {
    let html = ''
    let done = 0
    for (const { start, end, href } of findAddresses(text)) {
      const [open, close] = linkTags(href, undefined)
      if (!hasRoom(open + close, '') || length + html.length > max) break
      html += escapeHtml(text.slice(done, start)) + open + escapeHtml(text.slice(start, end)) + close
      done = end
    }
    return done === 0 ? escapeHtml(text) : html + escapeHtml(text.slice(done))
  }
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

function tagsOf(element: Exclude<Element, { type: 'link' }>, depth: number, isCompact: boolean): Tags {
  if (depth >= MAX_DEPTH && NESTING.has(element.type)) return NO_TAGS
  // An item is one deeper than its list.
  if (depth > MAX_DEPTH && element.type === 'item') return NO_TAGS
  switch (element.type) {
    case 'heading':
      return tags(`h${element.level}`)
    case 'code':
      return codeTags(isCompact ? undefined : element.language)
    case 'list':
      return listTags(element.start)
    case 'th':
    case 'td':
      return element.align && !isCompact ? tags(element.type, ` align="${element.align}"`) : tags(element.type)
    default:
      return PLAIN_TAGS[element.type]
  }
}

const NESTING: ReadonlySet<string> = new Set<Element['type']>(['blockquote', 'list', 'strong', 'em', 'del'])

function codeTags(language: string | undefined): Tags {
  const isName = language !== undefined && /^[\w+#-]{1,30}$/.test(language)
  return [`<pre><code${isName ? ` class="language-${language}"` : ''}>`, '</code></pre>']
}

const listTags = (start: number | undefined): Tags =>
  start === undefined ? tags('ul') : start === 1 ? tags('ol') : tags('ol', ` start="${start}"`)

/** An unsafe URL makes no link. */
function linkTags(url: string, title: string | undefined): Tags {
  const href = safeUrl(url, LINK_SCHEMES)
  return href === undefined ? NO_TAGS : [`<a ${attribute('href', href)}${titled(title)} ${REL}>`, '</a>']
}

function leafHtml(node: Exclude<Leaf, string>, files: Files, isInLink: boolean, isCompact: boolean): string {
  const end = isCompact ? '' : '\n'
  switch (node.type) {
    case 'literal':
      return escapeHtml(node.text)
    case 'break':
      return `<br />${end}`
    case 'rule':
      return `<hr />${end}`
    case 'checkbox':
      return checkBoxHtml(node.isChecked)
    case 'image':
      return isFileId(node.src) ? fileImageHtml(node, files, isInLink) : imageHtml(node)
    case 'file':
      return `${fileBlockHtml(node, files)}${end}`
  }
}

/** The short form where there is no room for more; undefined if the node is never long. */
function textOfLeaf(node: Exclude<Leaf, string>): string | undefined {
  switch (node.type) {
    case 'checkbox':
      return node.isChecked ? '[x]' : '[ ]'
    case 'image':
      return isFileId(node.src) ? fileText(node.src, node.alt, true) : escapeHtml(node.alt)
    case 'file':
      return `<p>${fileText(node.id, node.label, node.isImage)}</p>`
    default:
      return undefined
  }
}

function imageHtml({ src, alt, title }: Image): string {
  const url = safeUrl(src, IMAGE_SCHEMES)
  if (url === undefined) return escapeHtml(alt)
  return `<img ${attribute('src', url)} ${attribute('alt', alt)}${titled(title)} loading="lazy" referrerpolicy="no-referrer" />`
}

const titled = (title: string | undefined) => (title ? ` ${attribute('title', title)}` : '')

const PLAIN_ESCAPES: Record<string, string> = { '<': '&lt;', '>': '&gt;', '&': '&amp;' }

/**
 * A text as it was written, in paragraphs. No character takes more than four times its bytes: `&` is escaped only where it
 * could begin an entity, and a blank line has the two bytes that a paragraph's tags take eight for.
 */
function toPlainHtml(markdown: string): string {
  const lines = markdown
    .split(/\r\n?|\n/)
    .map((line) => (line.trim() === '' ? '' : line.replace(/[<>]|&(?=[a-z\d#])/gi, (letter) => PLAIN_ESCAPES[letter]!)))
  return lines
    .join('\n')
    .split(/\n{2,}/)
    .map((paragraph) => paragraph.replace(/^\n|\n$/g, ''))
    .filter((paragraph) => paragraph !== '')
    .map((paragraph) => `<p>${paragraph.replaceAll('\n', '<br>')}</p>`)
    .join('\n')
}
