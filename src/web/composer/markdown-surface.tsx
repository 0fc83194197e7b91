import { type RefObject, useImperativeHandle, useLayoutEffect, useRef } from 'react'
import { type FileRecord, shiftPosition, toParagraph, toReference } from '../data/files'
import { insertInBackground } from './editing'
import { MarkdownArea } from './markdown-area'
import { type SurfaceProps, WRITING } from './surface'

interface Props extends SurfaceProps {
  /** For the toolbar, which edits the text in it. */
  area: RefObject<HTMLTextAreaElement | null>
}

/** Writes Markdown as plain text. */
export function MarkdownSurface({ area, surface, text, onText, ...rest }: Props) {
  const places = usePlaces(area, text)
  const hasCaret = useRef(false)
  useImperativeHandle(
    surface,
    () => ({
      focus(at) {
        const { value } = area.current!
        area.current!.focus()
        if (at === 'end') area.current!.setSelectionRange(value.length, value.length)
      },
      keepPlaces(uploadIds) {
        const { value, selectionEnd } = area.current!
        places.keep(uploadIds, hasCaret.current ? selectionEnd : value.length)
      },
      insertFile: (uploadId, file) => places.insert(uploadId, file),
    }),
    [area, places],
  )
  const { label, placeholder, rows, autoFocus, isReadOnly, isDisabled, onFiles, onSend, sendsOnEnter, onEscape } = rest
  return (
    <MarkdownArea
      {...{ area, text, onFiles, onSend, sendsOnEnter, onEscape, placeholder, rows }}
      {...{ [WRITING]: '' }}
      onText={(next) => {
        places.follow(next)
        onText(next)
      }}
      onFocus={() => {
        hasCaret.current = true
      }}
      aria-label={label}
      data-autofocus={autoFocus}
      readOnly={isReadOnly}
      aria-disabled={isDisabled || undefined}
    />
  )
}

/** The places in a text where files will be inserted. */
function usePlaces(area: RefObject<HTMLTextAreaElement | null>, text: string) {
  const made = useRef<ReturnType<typeof createPlaces>>(undefined)
  made.current ??= createPlaces(area, text)
  const places = made.current
  // Also follows changes that were made elsewhere: in another tab, or in the list of files.
  useLayoutEffect(() => places.follow(text), [places, text])
  return places
}

function createPlaces(area: RefObject<HTMLTextAreaElement | null>, initial: string) {
  const positions = new Map<string, number>()
  let known = initial
  let isInserting = false
  return {
    keep(uploadIds: readonly string[], at: number) {
      for (const id of uploadIds) positions.set(id, at)
    },
    follow(text: string) {
      if (!isInserting) for (const [id, position] of positions) positions.set(id, shiftPosition(position, known, text))
      known = text
    },
    insert(uploadId: string, file: FileRecord) {
      const { value } = area.current!
      const at = Math.min(positions.get(uploadId) ?? value.length, value.length)
      const paragraph = toParagraph(value, at, toReference(file))
      moveOthers(positions, uploadId, at, paragraph.length)
      isInserting = true
      insertInBackground(area.current!, at, paragraph)
      isInserting = false
    },
  }
}

/** Files that were added together keep their order, no matter which is uploaded first. */
function moveOthers(positions: Map<string, number>, uploadId: string, at: number, length: number) {
  let isLater = false
  for (const [id, position] of positions) {
    if (id === uploadId) isLater = true
    else if (position > at || (position === at && isLater)) positions.set(id, position + length)
  }
  positions.delete(uploadId)
}
