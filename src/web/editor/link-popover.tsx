import * as Ariakit from '@ariakit/react'
import type { EditorView } from 'prosemirror-view'
import { useState } from 'react'
import { Button } from '../parts/button'
import { findMarkRange } from './commands'
import { schema } from './schema'

const { link } = schema.marks

export interface EditedLink {
  from: number
  to: number
  href: string
  isNew: boolean
}

/** The link that is selected, or that is to be made of the selection; undefined without a selection. */
export function findLink(view: EditorView): EditedLink | undefined {
  const { state } = view
  const { from, to, empty, $from } = state.selection
  const range = findMarkRange(state, link)
  if (range && (empty || (from >= range.from && to <= range.to))) {
    const mark = link.isInSet(state.doc.nodeAt(range.from)?.marks ?? [])
    return { ...range, href: mark?.attrs.href ?? '', isNew: false }
  }
  if (empty || !$from.parent.type.allowsMarkType(link)) return undefined
  const text = state.doc.textBetween(from, to).trim()
  return { from, to, href: /^https?:\/\/\S+$/.test(text) ? text : '', isNew: true }
}

interface Props {
  view: EditorView
  edited: EditedLink
  close(): void
}

/** Asks for the address of a link, below it. */
export function LinkPopover({ view, edited: { from, to, href, isNew }, close }: Props) {
  const [url, setUrl] = useState(href)
  const store = Ariakit.usePopoverStore({ open: true, placement: 'bottom-start', setOpen: (open) => open || close() })
  const change = (address: string | undefined) => {
    const { tr } = view.state
    tr.removeMark(from, to, link)
    if (address !== undefined) tr.addMark(from, to, link.create({ href: address }))
    view.dispatch(tr)
    close()
    view.focus()
  }
  return (
    <Ariakit.Popover
      store={store}
      className="menu link-popover"
      aria-label="Link"
      fixed
      gutter={6}
      portal
      preserveTabOrder={false}
      unmountOnHide
      autoFocusOnHide={false}
      getAnchorRect={() => {
        const start = view.coordsAtPos(from)
        const end = view.coordsAtPos(to, -1)
        return {
          x: start.left,
          y: start.top,
          width: Math.max(1, end.right - start.left),
          height: end.bottom - start.top,
        }
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return
        event.stopPropagation()
        close()
        view.focus()
      }}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault()
          event.stopPropagation()
          change(toAddress(url))
        }}
      >
        <input
          className="input"
          aria-label="Address of the link"
          placeholder="https://"
          value={url}
          onChange={({ target }) => setUrl(target.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.nativeEvent.isComposing) return
            event.preventDefault()
            event.stopPropagation()
            change(toAddress(url))
          }}
        />
        <Button variant="primary" onClick={() => change(toAddress(url))}>
          Apply
        </Button>
        {!isNew && <Button onClick={() => change(undefined)}>Remove</Button>}
      </form>
    </Ariakit.Popover>
  )
}

/** Without a scheme, it is a web address; nothing at all removes the link. */
function toAddress(text: string): string | undefined {
  const url = text.trim()
  if (url === '') return undefined
  if (/^(?:https?:|mailto:|\/|#|file_)/i.test(url)) return url
  return /^[^\s@/]+@[^\s@/]+\.[^\s@/]+$/.test(url) ? `mailto:${url}` : `https://${url}`
}
