import { FILE_ID } from '../../contract/file-ids'
import { type FileBlock, type Image, type Node, textOfNodes, walk } from './tree'

/** What a text shows of a file it references. */
export interface ReferencedFile {
  name: string
  content_type: string
  size: number
  width: number | null
  height: number | null
}

/** The files that a text can show, by id. All others are shown as not available. */
export type Files = ReadonlyMap<string, ReferencedFile>

/** How many files of a text are shown. */
const MAX_FILES = 50

const WHOLE_ID = new RegExp(`^${FILE_ID}$`)

/** Whether the URL of a link or an image is the id of an uploaded file. */
export const isFileId = (address: string): boolean => WHOLE_ID.test(address)

/** The ids of the files that a parsed text references, each once. */
export function findFileIds(nodes: readonly Node[]): string[] {
  const ids = new Set<string>()
  const add = (address: string) => {
    if (isFileId(address)) ids.add(address)
    return ids.size >= MAX_FILES
  }
  walk(nodes, {
    enter: (element) => element.type === 'link' && add(element.href),
    leave: () => false,
    leaf: (node) => typeof node !== 'string' && idOfLeaf(node, add),
  })
  return [...ids]
}

function idOfLeaf(node: Exclude<Node, string>, add: (id: string) => boolean): boolean {
  if (node.type === 'file') return add(node.id)
  return node.type === 'image' && add(node.src)
}

/** Replaces a paragraph that contains only files by these files. They are block elements, which a paragraph cannot contain. */
export function toFileBlocks(children: readonly Node[]): FileBlock[] | undefined {
  const blocks: FileBlock[] = []
  for (const node of children) {
    if (typeof node === 'string' ? node.trim() === '' : node.type === 'break') continue
    const block = toFileBlock(node)
    if (!block) return undefined
    blocks.push(block)
  }
  return blocks.length > 0 ? blocks : undefined
}

function toFileBlock(node: Node): FileBlock | undefined {
  if (typeof node === 'string') return undefined
  if (node.type === 'image') return isFileId(node.src) ? ofImage(node) : undefined
  if (node.type !== 'link' || !isFileId(node.href)) return undefined
  return { type: 'file', id: node.href, label: textOfNodes(node.children), isImage: false, title: undefined }
}

const ofImage = ({ src, alt, title }: Image): FileBlock => ({ type: 'file', id: src, label: alt, isImage: true, title })
