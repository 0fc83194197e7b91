import type { Node } from 'prosemirror-model'
import type { EditorView, NodeView, NodeViewConstructor } from 'prosemirror-view'
import { getMentionName } from '../data/mentions'
import { fileUrls, paths } from '../paths'
import { CodeLanguage } from './code-language'
import { FileBlock } from './file-block'
import type { Portals } from './portals'
import { WHOLE_FILE_ID } from './schema'

type GetAt = () => number | undefined

/** How the nodes of a text are shown that are more than an element with text in it. */
export function createNodeViews(portals: Portals, files: FileActions): Record<string, NodeViewConstructor> {
  return {
    list_item: (node, view, getAt) => showItem(node, view, getAt),
    code_block: (node, view, getAt) => showCode(node, view, getAt, portals),
    file: (node, view, getAt) => showFile(node, { view, getAt, portals, ...files }),
    mention: (node) => showMention(node),
    image: (node) => showImage(node),
  }
}

/** An item with its check box, if it has one. */
function showItem(first: Node, view: EditorView, getAt: GetAt): NodeView {
  let node = first
  const item = document.createElement('li')
  const content = document.createElement('div')
  let box: HTMLInputElement | undefined
  item.append(content)

  function show() {
    const { isChecked } = node.attrs
    if (isChecked === null) {
      box?.remove()
      box = undefined
      return
    }
    box ??= createBox()
    box.checked = isChecked
    // Otherwise it would be read without its text.
    box.setAttribute('aria-label', node.firstChild!.textContent.slice(0, 200) || 'Task')
  }
  function createBox() {
    const created = document.createElement('input')
    created.type = 'checkbox'
    created.contentEditable = 'false'
    // Keeps the focus in the text, and the keyboard of a phone open.
    created.addEventListener('mousedown', (event) => event.preventDefault())
    created.addEventListener('change', () => {
      const at = getAt()
      if (!view.editable || at === undefined) created.checked = node.attrs.isChecked
      else view.dispatch(view.state.tr.setNodeMarkup(at, null, { isChecked: created.checked }))
    })
    item.prepend(created)
    return created
  }
  show()
  return {
    dom: item,
    contentDOM: content,
    update(next) {
      if (next.type !== node.type) return false
      node = next
      show()
      return true
    },
    stopEvent: ({ target }) => target === box,
    ignoreMutation: (mutation) => mutation.type !== 'selection' && !content.contains(mutation.target),
  }
}

/** Code with its language in the corner. */
function showCode(first: Node, view: EditorView, getAt: GetAt, portals: Portals): NodeView {
  let node = first
  const block = document.createElement('div')
  block.className = 'code-block'
  const corner = document.createElement('div')
  corner.className = 'code-corner'
  corner.contentEditable = 'false'
  const pre = document.createElement('pre')
  const code = document.createElement('code')
  code.spellcheck = false
  pre.append(code)
  block.append(corner, pre)
  const choose = (language: string) => {
    const at = getAt()
    if (at !== undefined) view.dispatch(view.state.tr.setNodeMarkup(at, null, { info: language }))
    view.focus()
  }
  const render = () => <CodeLanguage info={node.attrs.info} choose={choose} isReadOnly={!view.editable} />
  const portal = portals.add(corner, render())
  return {
    dom: block,
    contentDOM: code,
    update(next) {
      if (next.type !== node.type) return false
      const hasChanged = next.attrs.info !== node.attrs.info
      node = next
      if (hasChanged) portal.update(render())
      return true
    },
    stopEvent: ({ target }) => corner.contains(target as Element),
    ignoreMutation: (mutation) => mutation.type !== 'selection' && !code.contains(mutation.target),
    destroy: portal.remove,
  }
}

interface FileActions {
  replaceFile(file: File, at: number, name: string): void
  /** Whether a file was inserted while this text was being written. */
  isNew(id: string): boolean
}

interface FileContext extends FileActions {
  view: EditorView
  getAt: GetAt
  portals: Portals
}

/** A file as it is shown to readers; selected, with what can be done with it. A new picture asks for its alt text. */
function showFile(first: Node, { view, getAt, portals, replaceFile, isNew }: FileContext): NodeView {
  let node = first
  let isSelected = false
  const block = document.createElement('div')
  block.className = 'file-block'
  block.contentEditable = 'false'
  const render = () => (
    <FileBlock
      id={node.attrs.id}
      label={node.attrs.label}
      isShown={node.attrs.isShown}
      isSelected={isSelected && view.editable}
      isNew={isNew(node.attrs.id) && view.editable}
      describe={(label) => {
        const at = getAt()
        if (at !== undefined) view.dispatch(view.state.tr.setNodeAttribute(at, 'label', label))
      }}
      replace={(file, name) => {
        const at = getAt()
        if (at !== undefined) replaceFile(file, at, name)
      }}
      remove={() => {
        const at = getAt()
        if (at !== undefined) view.dispatch(view.state.tr.delete(at, at + node.nodeSize))
        view.focus()
      }}
      leave={() => view.focus()}
    />
  )
  const portal = portals.add(block, render())
  const select = (selected: boolean) => {
    isSelected = selected
    block.classList.toggle('is-selected', selected)
    portal.update(render())
  }
  return {
    dom: block,
    update(next) {
      if (next.type !== node.type) return false
      node = next
      portal.update(render())
      return true
    },
    selectNode: () => select(true),
    deselectNode: () => select(false),
    stopEvent: ({ target }) => (target as Element).closest?.('label, input, button') !== null,
    ignoreMutation: () => true,
    destroy: portal.remove,
  }
}

function showMention({ attrs: { id } }: Node): NodeView {
  const chip = document.createElement('span')
  chip.className = 'mention'
  chip.contentEditable = 'false'
  const name = id === 'channel' || id === 'here' ? id : getMentionName(id)
  chip.textContent = name === undefined ? `<@${id}>` : `@${name}`
  chip.dataset.mention = id
  return { dom: chip, ignoreMutation: () => true }
}

const isProxied = () => document.documentElement.hasAttribute('data-image-proxy')

/** An image within a line, loaded as it is where it is read. */
function showImage({ attrs: { src, alt, title } }: Node): NodeView {
  const image = document.createElement('img')
  image.alt = alt
  if (title) image.title = title
  image.loading = 'lazy'
  image.referrerPolicy = 'no-referrer'
  if (WHOLE_FILE_ID.test(src)) image.src = fileUrls.preview(src, 'small')
  else if (/^https?:/i.test(src)) image.src = isProxied() ? paths.image(src) : src
  return { dom: image }
}
