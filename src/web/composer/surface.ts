import { createContext, type RefObject } from 'react'
import type { FileRecord } from '../data/files'

/** What a composer asks of the surface on which its text is written. */
export interface SurfaceHandle {
  /** Sets the focus into the text: where the caret was, or at the end. */
  focus(at?: 'end'): void
  /** Remembers where files belong that are being uploaded: where the caret is. The places move with the text around them. */
  keepPlaces(uploadIds: readonly string[]): void
  /** Inserts a file that was uploaded at its place. Focus and selection stay as they are. */
  insertFile(uploadId: string, file: FileRecord): void
}

/** Every surface has this on the element that takes the focus, so that keys and links find it. */
export const WRITING = 'data-writing'

/** Whether a text is in a channel, where everyone in it can be mentioned. */
export const MentionPlace = createContext<'channel' | 'thread'>('channel')

/** What every writing surface is given. The text has mentions by name, see `data/mentions.ts`. */
export interface SurfaceProps {
  surface: RefObject<SurfaceHandle | null>
  label: string
  text: string
  /** Called with every change that is made in the surface, not with changes of `text`. */
  onText(text: string): void
  /** Files were pasted. */
  onFiles(files: File[]): void
  onSend(): void
  /** Enter sends, and Shift+Enter starts a new line. */
  sendsOnEnter: boolean
  onEscape?(): void
  placeholder: string
  /** How many lines it shows at least. */
  rows: number
  /** Whether dialogs and pages give it the focus first. */
  autoFocus?: boolean
  isReadOnly: boolean
  /** Nothing can be written here at all, as opposed to: not while it is being sent. */
  isDisabled: boolean
}

/** The surface that is in the form of an element. */
export const findSurface = (within: ParentNode | null | undefined) => within?.querySelector<HTMLElement>(`[${WRITING}]`)

/** The surface of the form with this label. */
export const findSurfaceOf = (label: string) => findSurface(document.querySelector(`form[aria-label="${label}"]`))
