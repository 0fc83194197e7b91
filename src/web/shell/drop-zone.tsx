import { useEffect, useState } from 'react'
import { useLocation } from 'wouter'
import { usePermissions } from '../data/me'
import { findDropTarget, holdFiles, isFilePaste, listFiles, useLatestDropTarget } from '../parts/drop-targets'
import { notify } from '../parts/notices'
import { useNewPostPath } from './use-new-post-path'

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement && target.closest('input, textarea, select, [contenteditable]') !== null

const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') ?? false

/** Takes files that are dropped anywhere on the page, or pasted outside of a field. If there is no editor, opens one. */
export default function DropZone() {
  const [isDragging, setDragging] = useState(false)
  const { writeDeniedReason } = usePermissions()
  const [, navigate] = useLocation()
  const newPost = useNewPostPath()
  const target = useLatestDropTarget()

  useEffect(() => {
    const take = (data: DataTransfer, within: Node | undefined) => {
      const { files, hasFolders } = listFiles(data)
      if (hasFolders) notify("Folders can't be uploaded. Create a ZIP file first.")
      const found = findDropTarget(within)
      if (files.length === 0) return
      if (found) found.add(files)
      else if (writeDeniedReason) notify(writeDeniedReason)
      else {
        holdFiles(files)
        navigate(newPost)
      }
    }
    const end = new AbortController()
    // `dragleave` fires for every element. Only if there is no `relatedTarget`, the pointer has left the window.
    const dragOver = (event: DragEvent) => {
      if (!hasFiles(event)) return
      // Otherwise, the browser would open the file instead of the app.
      event.preventDefault()
      setDragging(true)
    }
    const dragLeave = (event: DragEvent) => {
      if (event.relatedTarget === null) setDragging(false)
    }
    const drop = (event: DragEvent) => {
      setDragging(false)
      if (!hasFiles(event)) return
      event.preventDefault()
      take(event.dataTransfer!, document.elementsFromPoint(event.clientX, event.clientY).find(isPage))
    }
    const paste = (event: ClipboardEvent) => {
      const data = event.clipboardData
      if (event.defaultPrevented || !data || isTyping(event.target) || !isFilePaste(data) || !findDropTarget()) return
      event.preventDefault()
      take(data, undefined)
    }
    addEventListener('dragenter', dragOver, { signal: end.signal })
    addEventListener('dragover', dragOver, { signal: end.signal })
    addEventListener('dragleave', dragLeave, { signal: end.signal })
    addEventListener('drop', drop, { signal: end.signal })
    addEventListener('paste', paste, { signal: end.signal })
    return () => end.abort()
  }, [navigate, newPost, writeDeniedReason])

  if (!isDragging) return null
  const action = target?.action ?? 'start a new post'
  return (
    <div className="drop-zone" aria-hidden="true">
      <p>{!target && writeDeniedReason ? writeDeniedReason : `Drop files to ${action}`}</p>
    </div>
  )
}

const isPage = (element: Element) => !element.closest('.drop-zone')
