/** A parsed text. Plain strings are text in which mentions and addresses are still to be found. */
export type Node = Leaf | Element
export type Leaf = string | Literal | Break | CheckBox | Rule | Image | FileBlock

/** Text that is shown as it is: what was escaped, and raw HTML. */
export interface Literal {
  type: 'literal'
  text: string
}

export interface Break {
  type: 'break'
}

export interface CheckBox {
  type: 'checkbox'
  isChecked: boolean
}

export interface Rule {
  type: 'rule'
}

export interface Image {
  type: 'image'
  src: string
  alt: string
  title: string | undefined
}

/** A reference to a file that is not within a line of text: it is alone in its paragraph, or with other files only. */
export interface FileBlock {
  type: 'file'
  id: string
  label: string
  /** Whether it is written as an image, `![…](…)`. Then the file itself is shown, if possible. */
  isImage: boolean
  title: string | undefined
}

export type Align = 'left' | 'center' | 'right'

export type Element = { children: Node[] } & (
  | { type: 'paragraph' | 'blockquote' | 'item' | 'table' | 'thead' | 'tbody' | 'tr' }
  | { type: 'strong' | 'em' | 'del' | 'codespan' }
  | { type: 'heading'; level: number }
  | { type: 'code'; language: string | undefined }
  | { type: 'list'; start: number | undefined }
  | { type: 'th' | 'td'; align: Align | undefined }
  | { type: 'link'; href: string; title: string | undefined }
)

const isElement = (node: Node): node is Element => typeof node !== 'string' && 'children' in node

/** Each may return true to end the walk. */
interface Visitor {
  enter(element: Element, depth: number): unknown
  leave(element: Element): unknown
  leaf(node: Leaf): unknown
}

/** Visits all nodes in order. Uses no recursion: a text may nest as deep as it is long. */
export function walk(nodes: readonly Node[], visitor: Visitor) {
  const open: { element: Element; at: number }[] = []
  let siblings = nodes
  let at = 0
  for (;;) {
    const node = siblings[at++]
    if (node === undefined) {
      const parent = open.pop()
      if (!parent || visitor.leave(parent.element) === true) return
      siblings = open.at(-1)?.element.children ?? nodes
      at = parent.at
    } else if (!isElement(node)) {
      if (visitor.leaf(node) === true) return
    } else {
      if (visitor.enter(node, open.length) === true) return
      open.push({ element: node, at })
      siblings = node.children
      at = 0
    }
  }
}

/** The text of nodes, without their formatting. */
export function textOfNodes(nodes: readonly Node[]): string {
  let text = ''
  walk(nodes, {
    enter: () => false,
    leave: () => false,
    leaf: (node) => {
      text += textOfLeaf(node)
    },
  })
  return text
}

function textOfLeaf(node: Leaf): string {
  if (typeof node === 'string') return node
  if (node.type === 'literal') return node.text
  if (node.type === 'image') return node.alt
  return node.type === 'file' ? node.label : ' '
}
