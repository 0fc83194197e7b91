import { chainCommands } from 'prosemirror-commands'
import type { Command } from 'prosemirror-state'
import type { IconName } from '../parts/icon'
import { insertCodeBlock, insertRule, insertTable, setStyle, toggleList, toggleQuote } from './commands'

/** What `/` inserts. `choose` opens a dialog of the browser instead. */
export interface Block {
  id: string
  label: string
  icon: IconName
  /** Other words that find it. */
  words: string
  run?: Command
  choose?: 'image' | 'file'
  /** What is typed instead. */
  text?: string
}

export const blocks: readonly Block[] = [
  { id: 'text', label: 'Text', icon: 'file-text', words: 'paragraph plain', run: setStyle('text') },
  { id: 'heading-1', label: 'Heading 1', icon: 'hash', words: 'title h1', run: setStyle('heading-1') },
  { id: 'heading-2', label: 'Heading 2', icon: 'hash', words: 'title h2', run: setStyle('heading-2') },
  { id: 'heading-3', label: 'Heading 3', icon: 'hash', words: 'title h3', run: setStyle('heading-3') },
  { id: 'list', label: 'List', icon: 'list', words: 'bullets unordered', run: toggleList('bullet') },
  { id: 'ordered', label: 'Numbered list', icon: 'list-ordered', words: 'ordered', run: toggleList('ordered') },
  { id: 'checklist', label: 'Checklist', icon: 'checklist', words: 'tasks todo boxes', run: toggleList('checklist') },
  { id: 'quote', label: 'Quote', icon: 'quote', words: 'citation', run: toggleQuote },
  { id: 'code', label: 'Code', icon: 'code', words: 'block program', run: insertCodeBlock },
  { id: 'table', label: 'Table', icon: 'table', words: 'rows columns', run: chainCommands(insertTable) },
  { id: 'image', label: 'Image', icon: 'image', words: 'picture photo upload', choose: 'image' },
  { id: 'file', label: 'File', icon: 'paperclip', words: 'attach upload', choose: 'file' },
  { id: 'rule', label: 'Divider', icon: 'dots', words: 'rule line separator', run: insertRule },
  { id: 'mention', label: 'Mention', icon: 'mention', words: 'person someone', text: '@' },
]

export function findBlocks(query: string): Block[] {
  const typed = query.trim().toLowerCase()
  const rank = ({ label, words }: Block) => {
    const name = label.toLowerCase()
    if (name.startsWith(typed)) return 0
    if (name.includes(` ${typed}`)) return 1
    return words.split(' ').some((word) => word.startsWith(typed)) ? 2 : 3
  }
  return blocks
    .map((block) => ({ block, rank: rank(block) }))
    .filter((found) => found.rank < 3)
    .sort((a, b) => a.rank - b.rank)
    .map(({ block }) => block)
}
