import { type Attrs, type DOMOutputSpec, type MarkSpec, type Node, type NodeSpec, Schema } from 'prosemirror-model'
import { safeUrl } from '../../contract/browser/bare-addresses'
import { FILE_ID } from '../../contract/browser/constants'

/** How deep a mark stands among others of the same range, where that is not the order of the schema. Not shown. */
const nesting = { default: 0, validate: 'number' }

const marks = {
  link: {
    attrs: { href: { validate: 'string' }, title: { default: '', validate: 'string' }, nesting },
    inclusive: false,
    parseDOM: [{ tag: 'a[href]', getAttrs: (element: HTMLElement) => readLink(element) }],
    toDOM: ({ attrs }) => showLink(attrs),
  },
  em: {
    attrs: { nesting },
    parseDOM: [
      { tag: 'i' },
      { tag: 'em' },
      { style: 'font-style=italic' },
      { style: 'font-style=normal', clearMark: is('em') },
    ],
    toDOM: () => ['em', 0],
  },
  strong: {
    attrs: { nesting },
    parseDOM: [
      { tag: 'strong' },
      // Google Docs wraps all that it copies in one of these.
      { tag: 'b', getAttrs: (element: HTMLElement) => element.style.fontWeight !== 'normal' && null },
      { style: 'font-weight=400', clearMark: is('strong') },
      { style: 'font-weight', getAttrs: (value: string) => /^(bold(er)?|[6-9]\d{2})$/.test(value) && null },
    ],
    toDOM: () => ['strong', 0],
  },
  del: {
    attrs: { nesting },
    parseDOM: [
      { tag: 'del' },
      { tag: 's' },
      { tag: 'strike' },
      { style: 'text-decoration=line-through' },
      { style: 'text-decoration-line=line-through' },
    ],
    toDOM: () => ['del', 0],
  },
  code: {
    parseDOM: [{ tag: 'code' }, { tag: 'tt' }, { tag: 'kbd' }, { tag: 'samp' }],
    toDOM: () => ['code', { spellcheck: 'false' }, 0],
  },
} satisfies Record<string, MarkSpec>

const LINK_SCHEMES = ['http', 'https', 'mailto']

/** As the server renders it: encoded, as browsers drop tabs and line breaks; and only text if it is not safe to follow. */
export function showLink({ href, title }: Attrs, others: Attrs = {}): DOMOutputSpec {
  const address = safeUrl(href, LINK_SCHEMES)
  return address === undefined ? ['span', 0] : ['a', { href: address, ...(title && { title }), ...others }, 0]
}

function is(name: string) {
  return (mark: { type: { name: string } }) => mark.type.name === name
}

/** What can be pasted may say anything. */
function isWithin(least: number, most: number) {
  return (value: unknown) => {
    if (!Number.isInteger(value) || (value as number) < least || (value as number) > most)
      throw new RangeError(`Not between ${least} and ${most}.`)
  }
}

const cellAttrs = {
  colspan: { default: 1, validate: 'number' },
  rowspan: { default: 1, validate: 'number' },
  colwidth: { default: null },
  align: { default: null, validate: 'string|null' },
}

const ALIGNS = ['left', 'center', 'right']

function readCell(element: HTMLElement): Attrs {
  const align = element.style.textAlign || element.getAttribute('align')
  return { align: ALIGNS.includes(align!) ? align : null }
}

const cell = (tag: 'td' | 'th', role: string): NodeSpec => ({
  // A line break would end the row.
  content: '(text | mention | image)*',
  attrs: cellAttrs,
  tableRole: role,
  isolating: true,
  parseDOM: [{ tag, getAttrs: (element: HTMLElement) => readCell(element) }],
  toDOM: ({ attrs }) => [tag, attrs.align ? { align: attrs.align } : {}, 0],
})

const isTight = { default: true, validate: 'boolean' }

const nodes = {
  doc: { content: 'block+' },
  paragraph: { content: 'inline*', group: 'block', parseDOM: [{ tag: 'p' }], toDOM: () => ['p', 0] },
  heading: {
    attrs: { level: { default: 2, validate: isWithin(1, 6) } },
    content: 'inline*',
    group: 'block',
    defining: true,
    parseDOM: [1, 2, 3, 4, 5, 6].map((level) => ({ tag: `h${level}`, attrs: { level } })),
    toDOM: ({ attrs }) => [`h${attrs.level}`, 0],
  },
  blockquote: {
    content: 'block+',
    group: 'block',
    defining: true,
    parseDOM: [{ tag: 'blockquote' }],
    toDOM: () => ['blockquote', 0],
  },
  code_block: {
    attrs: { info: { default: '', validate: 'string' } },
    content: 'text*',
    marks: '',
    group: 'block',
    code: true,
    defining: true,
    parseDOM: [
      { tag: 'pre', preserveWhitespace: 'full', getAttrs: (element: HTMLElement) => ({ info: readLanguage(element) }) },
    ],
    toDOM: () => ['pre', ['code', 0]],
  },
  bullet_list: {
    attrs: { isTight },
    content: 'list_item+',
    group: 'block',
    parseDOM: [{ tag: 'ul' }],
    toDOM: () => ['ul', 0],
  },
  ordered_list: {
    attrs: { start: { default: 1, validate: isWithin(0, 999_999_999) }, isTight },
    content: 'list_item+',
    group: 'block',
    parseDOM: [{ tag: 'ol', getAttrs: (element: HTMLElement) => ({ start: readStart(element) }) }],
    toDOM: ({ attrs }) => ['ol', attrs.start === 1 ? {} : { start: attrs.start }, 0],
  },
  list_item: {
    attrs: { isChecked: { default: null, validate: 'boolean|null' } },
    content: 'block+',
    defining: true,
    parseDOM: [{ tag: 'li', getAttrs: (element: HTMLElement) => ({ isChecked: readChecked(element) }) }],
    toDOM: ({ attrs }) => ['li', attrs.isChecked === null ? {} : { 'data-checked': String(attrs.isChecked) }, 0],
  },
  table: {
    content: 'table_row+',
    group: 'block',
    tableRole: 'table',
    isolating: true,
    parseDOM: [{ tag: 'table' }],
    toDOM: () => ['table', ['tbody', 0]],
  },
  table_row: {
    content: '(table_cell | table_header)*',
    tableRole: 'row',
    parseDOM: [{ tag: 'tr' }],
    toDOM: () => ['tr', 0],
  },
  table_cell: cell('td', 'cell'),
  table_header: cell('th', 'header_cell'),
  rule: { group: 'block', parseDOM: [{ tag: 'hr' }], toDOM: () => ['hr'] },
  /** A file in a paragraph of its own. */
  file: {
    attrs: {
      id: { validate: 'string' },
      label: { default: '', validate: 'string' },
      title: { default: '', validate: 'string' },
      /** Whether the file itself is shown: `![…](…)`. */
      isShown: { default: false, validate: 'boolean' },
    },
    group: 'block',
    atom: true,
    draggable: true,
    parseDOM: [{ tag: 'div[data-file]', getAttrs: (element: HTMLElement) => readFile(element) }],
    toDOM: ({ attrs }) => [
      'div',
      {
        'data-file': attrs.id,
        'data-label': attrs.label,
        'data-title': attrs.title,
        'data-shown': String(attrs.isShown),
      },
    ],
  },
  text: { group: 'inline' },
  hard_break: {
    inline: true,
    group: 'inline',
    selectable: false,
    linebreakReplacement: true,
    parseDOM: [{ tag: 'br' }],
    toDOM: () => ['br'],
  },
  mention: {
    attrs: { id: { validate: 'string' } },
    inline: true,
    group: 'inline',
    atom: true,
    selectable: false,
    parseDOM: [{ tag: 'span[data-mention]', getAttrs: (element: HTMLElement) => readMention(element) }],
    toDOM: ({ attrs }) => ['span', { 'data-mention': attrs.id }, `<@${attrs.id}>`],
    leafText: ({ attrs }) => `<@${attrs.id}>`,
  },
  /** An image within a line, of another server or of this one. */
  image: {
    attrs: {
      src: { validate: 'string' },
      alt: { default: '', validate: 'string' },
      title: { default: '', validate: 'string' },
    },
    inline: true,
    group: 'inline',
    draggable: true,
    parseDOM: [{ tag: 'img[src]', getAttrs: (element: HTMLElement) => readImage(element) }],
    toDOM: ({ attrs }) => ['img', { src: attrs.src, alt: attrs.alt, ...(attrs.title && { title: attrs.title }) }],
  },
} satisfies Record<string, NodeSpec>

/** What a text can have: as much as Markdown has. */
export const schema = new Schema<keyof typeof nodes, keyof typeof marks>({ nodes, marks })

export const WHOLE_FILE_ID = new RegExp(`^${FILE_ID}$`)
/** Who can be mentioned: people, apps and groups, a whole channel, and who is online there. */
export const MENTION_ID = '(?:mem|app|group)_[0-9a-z]{26}|channel|here'
const WHOLE_MENTION_ID = new RegExp(`^(?:${MENTION_ID})$`)

/** What the server makes no link of is no link here. */
const LINK = /^(?:https?:|mailto:|\/(?!\/)|#)/i
const IMAGE = /^https?:/i

function readLink(element: HTMLElement) {
  const href = element.getAttribute('href')!.trim()
  return (LINK.test(href) || WHOLE_FILE_ID.test(href)) && { href, title: element.title }
}

function readImage(element: HTMLElement) {
  const src = element.getAttribute('src')!.trim()
  return (
    (IMAGE.test(src) || WHOLE_FILE_ID.test(src)) && {
      src,
      alt: element.getAttribute('alt') ?? '',
      title: element.title,
    }
  )
}

function readFile({ dataset: { file, label = '', title = '', shown } }: HTMLElement) {
  return WHOLE_FILE_ID.test(file!) && { id: file, label, title, isShown: shown === 'true' }
}

const readMention = ({ dataset: { mention } }: HTMLElement) => WHOLE_MENTION_ID.test(mention!) && { id: mention }

/** As this app, GitHub and most others write it. */
function readLanguage(element: HTMLElement): string {
  const names = [element, element.firstElementChild, element.parentElement].map((each) => each?.className ?? '')
  return (
    element.dataset.language ?? names.join(' ').match(/\b(?:language|lang|highlight-source)-([\w+#-]{1,30})/)?.[1] ?? ''
  )
}

function readStart(element: HTMLElement): number {
  const start = Number(element.getAttribute('start') ?? 1)
  return Number.isInteger(start) && start >= 0 && start < 1e9 ? start : 1
}

function readChecked(element: HTMLElement): boolean | null {
  if (element.dataset.checked) return element.dataset.checked === 'true'
  const box = element.querySelector<HTMLInputElement>(
    ':scope > input[type=checkbox], :scope > p:first-child > input[type=checkbox]',
  )
  return box ? box.hasAttribute('checked') : null
}

export const isList = ({ type }: Node) => type === schema.nodes.bullet_list || type === schema.nodes.ordered_list
