import { type DraftText, readText } from './drafts'
import { createStoredValue } from './storage'

/** The state of a draft on the server, as far as this browser knows. */
interface KnownDraft {
  version: number
  hash: string
  /** Whether the member removed the text in this browser. Otherwise, a missing text means that the storage of the browser was cleared. */
  isCleared?: true
}

const known = createStoredValue<Record<string, KnownDraft>>('draft-versions', {})

export const getKnown = (subjectId: string): KnownDraft | undefined => known.get()[subjectId]

/** The subjects that had a draft on the server when the list was last loaded. */
export const listKnown = (): string[] => Object.keys(known.get())

export const setKnown = (subjectId: string, version: number, text: DraftText) =>
  known.set({ ...known.get(), [subjectId]: { version, hash: hashText(text) } })

export function forgetKnown(subjectId: string) {
  const { [subjectId]: _, ...others } = known.get()
  known.set(others)
}

export const isEmpty = ({ title, content_markdown }: DraftText) => !(title + content_markdown).trim()

/** Remembers whether the member has removed the whole text. */
export function noteCleared(subjectId: string) {
  const draft = getKnown(subjectId)
  if (!draft) return
  const { isCleared, ...rest } = draft
  const text = readText(subjectId)
  const isNow = isEmpty(text) && rest.hash !== hashText(text)
  if (isNow !== (isCleared ?? false))
    known.set({ ...known.get(), [subjectId]: isNow ? { ...rest, isCleared: true } : rest })
}

/** Whether the text in this browser differs from the one that was on the server. */
export function hasChanged(subjectId: string): boolean {
  const draft = getKnown(subjectId)
  const text = readText(subjectId)
  return isEmpty(text) ? draft?.isCleared === true : draft?.hash !== hashText(text)
}

/** A short form of a text to tell whether it has changed: FNV-1a in two halves, and the length. */
export function hashText({ title, content_markdown }: DraftText): string {
  const text = `${title}\n${content_markdown}`
  let one = 0x811c9dc5
  let two = 0x01000193
  for (let at = 0; at < text.length; at++) {
    one = Math.imul(one ^ text.charCodeAt(at), 0x01000193)
    two = Math.imul(two ^ text.charCodeAt(at), 0x85ebca6b)
  }
  return `${text.length}.${(one >>> 0).toString(36)}${(two >>> 0).toString(36)}`
}
