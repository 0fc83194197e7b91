import { type RefObject, useEffect, useLayoutEffect, useRef } from 'react'
import { shiftPosition, toParagraph, toReference } from '../data/file-references'
import { toMarkdown } from '../data/mentions'
import { type Insert, registerEditor, startUploads, useUploads } from '../data/uploads'
import { insertInBackground } from './editing'

interface Options {
  draftKey: string
  area: RefObject<HTMLTextAreaElement | null>
  text: string
  write(text: string): void
}

/**
 * The files of an editor. Each is uploaded for the place where the caret was, which moves with the text around it, and
 * inserted there when it is on the server.
 */
export function useAttachments({ draftKey, area, text, write }: Options) {
  const uploads = useUploads(draftKey)
  const positions = useRef(new Map<string, number>())
  const hasCaret = useRef(false)
  const isInserting = useRef(false)
  const latest = useRef(text)
  latest.current = text

  useEffect(() => {
    const noteCaret = () => {
      hasCaret.current = true
    }
    const element = area.current!
    element.addEventListener('focus', noteCaret)
    return () => element.removeEventListener('focus', noteCaret)
  }, [area])

  // As the area is: React takes it away as soon as another page is loading.
  useLayoutEffect(() => {
    const insert: Insert = (uploadId, record) => {
      const { value } = area.current!
      const at = Math.min(positions.current.get(uploadId) ?? value.length, value.length)
      const paragraph = toParagraph(value, at, toReference(record))
      moveOthers(positions.current, uploadId, at, paragraph.length)
      isInserting.current = true
      insertInBackground(area.current!, at, paragraph)
      isInserting.current = false
    }
    return registerEditor(draftKey, insert, () => toMarkdown(latest.current))
  }, [draftKey, area])

  return {
    uploads,
    add(files: readonly File[]) {
      const { value, selectionEnd } = area.current!
      const at = hasCaret.current ? selectionEnd : value.length
      for (const id of startUploads(draftKey, files)) positions.current.set(id, at)
    },
    write(next: string) {
      if (!isInserting.current)
        for (const [id, position] of positions.current)
          positions.current.set(id, shiftPosition(position, latest.current, next))
      latest.current = next
      write(next)
    },
  }
}

/** Files that were added together keep their order, whichever is uploaded first. */
function moveOthers(positions: Map<string, number>, uploadId: string, at: number, length: number) {
  let isLater = false
  for (const [id, position] of positions) {
    if (id === uploadId) isLater = true
    else if (position > at || (position === at && isLater)) positions.set(id, position + length)
  }
  positions.delete(uploadId)
}
