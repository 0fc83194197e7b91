import * as Ariakit from '@ariakit/react'
import type { EditorView } from 'prosemirror-view'
import { type RefObject, useEffect, useLayoutEffect } from 'react'
import { type Completion, findNamedEmoji, findTriggerIn, type Trigger } from '../composer/completions'
import { useCompletion } from '../composer/use-completion'
import { toMarkdown } from '../data/mentions'
import { Icon } from '../parts/icon'
import { type Block, findBlocks } from './blocks'
import { readMarkdown } from './read'
import { schema } from './schema'

const { nodes, marks } = schema
const BLOCK = /(?:^|\s)\/([\p{L}\d]{0,20}(?: \d?)?)$/u

/** Completes mentions, emoji and blocks in formatted text. */
export function useRichCompletion(view: RefObject<EditorView | null>, insertBlock: (block: Block) => void) {
  const { setTrigger, ...completion } = useCompletion({
    getAnchorRect({ at }) {
      const current = view.current
      if (!current || at > current.state.doc.content.size) return null
      const { left, top, bottom } = current.coordsAtPos(at)
      return { x: left, y: top, height: bottom - top }
    },
    insert: (trigger, chosen) => insertCompletion(view.current!, trigger, chosen, insertBlock),
    findBlocks: (query) => findBlocks(query).map(toCompletion),
  })
  const { store, isOpen, itemIds } = completion
  const first = itemIds[0]
  useLayoutEffect(() => {
    if (isOpen) store.setActiveId(first)
  }, [store, isOpen, first])
  const activeId = Ariakit.useStoreState(store, 'activeId')
  useEffect(() => {
    const element = view.current?.dom
    if (isOpen && activeId) element?.setAttribute('aria-activedescendant', activeId)
    else element?.removeAttribute('aria-activedescendant')
  }, [view, isOpen, activeId])

  return {
    ...completion,
    onKey(event: KeyboardEvent): boolean {
      if (!isOpen || event.ctrlKey || event.metaKey || event.altKey) return false
      if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
        const at = itemIds.indexOf(store.getState().activeId ?? '')
        const step = event.key === 'ArrowDown' ? 1 : -1
        store.setActiveId(itemIds[(at + step + itemIds.length) % itemIds.length])
        return true
      }
      return completion.key(event)
    },
    onUpdate(current: EditorView, isTyped: boolean) {
      if (isTyped) {
        setTrigger(findTrigger(current))
        void insertNamedEmoji(current)
      } else if (isOpen && !findTrigger(current)) completion.close()
    },
  }
}

const toCompletion = ({ id, label, icon }: Block): Completion => ({
  id,
  label,
  content: (
    <>
      <Icon name={icon} />
      <span>{label}</span>
    </>
  ),
  toText: () => label,
})

/** The text of the block before the caret, where something can be completed: not in code. */
function textBefore({ state }: EditorView): { text: string; start: number; isParagraph: boolean } | undefined {
  const { $from, empty } = state.selection
  const { parent } = $from
  if (!empty || !parent.isTextblock || parent.type === nodes.code_block) return undefined
  if (marks.code.isInSet(state.storedMarks ?? $from.marks())) return undefined
  // Every other node is one position long, as this character is.
  const text = parent.textBetween(0, $from.parentOffset, undefined, (leaf) =>
    leaf.type === nodes.hard_break ? '\n' : '\ufffc',
  )
  return { text, start: $from.start(), isParagraph: parent.type === nodes.paragraph }
}

function findTrigger(view: EditorView): Trigger | undefined {
  const before = textBefore(view)
  if (!before) return undefined
  const block = before.isParagraph ? BLOCK.exec(before.text) : null
  if (block) return { kind: 'block', at: before.start + before.text.length - block[1]!.length - 1, query: block[1]! }
  const trigger = findTriggerIn(before.text)
  return trigger && { ...trigger, at: before.start + trigger.at }
}

function insertCompletion(
  view: EditorView,
  { kind, at }: Trigger,
  completion: Completion,
  insertBlock: (block: Block) => void,
) {
  const { head } = view.state.selection
  if (kind === 'block') {
    view.dispatch(view.state.tr.delete(at, head))
    view.focus()
    return insertBlock(findBlocks('').find(({ id }) => id === completion.id)!)
  }
  const line = readMarkdown(toMarkdown(completion.toText())).doc.firstChild!
  view.dispatch(view.state.tr.replaceWith(at, head, [...line.children, schema.text(' ')]).scrollIntoView())
  view.focus()
}

/** Replaces `:name:` before the caret by its emoji, if there is one. While the list loads, typing can go on. */
async function insertNamedEmoji(view: EditorView) {
  const before = textBefore(view)
  const name = before && findNamedEmoji(before.text)
  if (!name) return
  const end = view.state.selection.head
  const start = end - name.length - 2
  const { findEmoji } = await import('../data/emoji-list')
  const emoji = findEmoji(name)?.emoji
  if (!emoji || view.isDestroyed || end > view.state.doc.content.size || view.composing) return
  if (view.state.doc.textBetween(start, end) === `:${name}:`) view.dispatch(view.state.tr.insertText(emoji, start, end))
}
