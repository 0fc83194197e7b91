import type { Node } from 'prosemirror-model'
import { Plugin, PluginKey, type Transaction } from 'prosemirror-state'
import { Decoration, DecorationSet, type EditorView } from 'prosemirror-view'
import { findAddresses } from '../../contract/browser/bare-addresses'
import { schema } from './schema'

const { nodes, marks } = schema

/** Shows a text where nothing is written. */
export const placeholder = (getText: () => string) =>
  new Plugin({
    props: {
      decorations({ doc }) {
        const first = doc.firstChild!
        if (doc.childCount !== 1 || first.type !== nodes.paragraph || first.content.size > 0) return null
        return DecorationSet.create(doc, [
          Decoration.node(0, first.nodeSize, { class: 'is-empty', 'data-placeholder': getText() }),
        ])
      },
    },
  })

/** The decorations of a block, by their places in it. */
type Decorate = (block: Node) => { from: number; to: number; class: string }[]

/** Decorates blocks of text, each only when it has changed. */
function decorateBlocks(key: PluginKey<DecorationSet>, decorate: Decorate) {
  const build = (doc: Node, before?: { set: DecorationSet; tr: Transaction; doc: Node }) => {
    const known = new Set<Node>()
    before?.doc.descendants((node) => {
      if (node.isTextblock) known.add(node)
      return !node.isTextblock
    })
    let set = before ? before.set.map(before.tr.mapping, doc) : DecorationSet.empty
    doc.descendants((node, at) => {
      if (!node.isTextblock) return true
      if (known.has(node)) return false
      const old = set.find(at, at + node.nodeSize)
      const added = decorate(node).map(({ from, to, class: name }) =>
        Decoration.inline(at + 1 + from, at + 1 + to, { class: name }),
      )
      if (old.length > 0) set = set.remove(old)
      if (added.length > 0) set = set.add(doc, added)
      return false
    })
    return set
  }
  return new Plugin<DecorationSet>({
    key,
    state: {
      init: (_, { doc }) => build(doc),
      apply(tr, set, { doc }) {
        if (tr.getMeta(key)) return build(tr.doc)
        return tr.docChanged ? build(tr.doc, { set, tr, doc }) : set
      },
    },
    props: { decorations: (state) => key.getState(state) },
  })
}

/** Bare addresses look like the links that they will be. */
export const addresses = () =>
  decorateBlocks(new PluginKey('addresses'), (block) => {
    const found: { from: number; to: number; class: string }[] = []
    if (block.type === nodes.code_block) return found
    block.forEach((node, offset) => {
      if (!node.isText || node.marks.some(({ type }) => type === marks.link || type === marks.code)) return
      for (const { start, end } of findAddresses(node.text!))
        found.push({ from: offset + start, to: offset + end, class: 'address' })
    })
    return found
  })

/** Longer blocks stay plain, as where they are read. */
const MAX_COLOURED = 20_000

let highlight: typeof import('../parts/highlight-code') | undefined

/** Colours code that names its language. The highlighter is loaded when there is some. */
export function colours() {
  const key = new PluginKey<DecorationSet>('colours')
  let view: EditorView | undefined
  let isLoading = false
  const load = () => {
    if (isLoading) return
    isLoading = true
    void import('../parts/highlight-code').then(
      (loaded) => {
        highlight = loaded
        if (view && !view.isDestroyed) view.dispatch(view.state.tr.setMeta(key, true))
      },
      () => {},
    )
  }
  const plugin = decorateBlocks(key, (block) => {
    if (block.type !== nodes.code_block || block.content.size > MAX_COLOURED) return []
    const language = getLanguage(block)
    if (!language) return []
    if (!highlight) {
      load()
      return []
    }
    return highlight
      .findColours(block.textContent, language)
      .map(({ start, end, className }) => ({ from: start, to: end, class: className }))
  })
  return [
    plugin,
    new Plugin({
      view(created) {
        view = created
        return {}
      },
    }),
  ]
}

export const getLanguage = ({ attrs }: Node): string => (attrs.info as string).split(/\s/)[0]!.toLowerCase()

const placesKey = new PluginKey<ReadonlyMap<string, number>>('places')

interface Kept {
  keep?: readonly string[]
  at?: number
  drop?: string
}

/** The places where files will be inserted. They move with the text around them. */
export const places = () =>
  new Plugin<ReadonlyMap<string, number>>({
    key: placesKey,
    state: {
      init: () => new Map(),
      apply(tr, known) {
        const change = tr.getMeta(placesKey) as Kept | undefined
        if (!tr.docChanged && !change) return known
        const next = new Map<string, number>()
        let isLater = false
        for (const [id, at] of known) {
          // Those after the dropped one come after what was inserted in its place.
          if (id === change?.drop) isLater = true
          else next.set(id, tr.mapping.map(at, isLater ? 1 : -1))
        }
        for (const id of change?.keep ?? []) next.set(id, change!.at!)
        return next
      },
    },
  })

export const keepPlaces = (view: EditorView, ids: readonly string[], at: number) =>
  view.dispatch(view.state.tr.setMeta(placesKey, { keep: ids, at } satisfies Kept))

export const getPlace = (view: EditorView, id: string): number | undefined => placesKey.getState(view.state)!.get(id)

export const dropPlace = (tr: Transaction, id: string) => tr.setMeta(placesKey, { drop: id } satisfies Kept)
