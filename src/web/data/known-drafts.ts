import { type DraftText, readText } from './drafts'
import { createStoredValue } from './storage'

/** What the server has of a draft, as far as this browser knows. */
interface KnownDraft {
  version: number
  hash: string
  /** The member removed the text here. Without this, a missing text was lost with the storage of the browser. */
  isCleared?: true
}

const known = createStoredValue<Record<string, KnownDraft>>('draft-versions', {})

export const getKnown = (subjectId: string): KnownDraft | undefined => known.get()[subjectId]

/** The places whose draft was on the server when it was looked at last. */
export const listKnown = (): string[] => Object.keys(known.get())

export const setKnown = (subjectId: string, version: number, text: DraftText) =>
  known.set({ ...known.get(), [subjectId]: { version, hash: hashText(text) } })

export function forgetKnown(subjectId: string) {
  const { [subjectId]: _, ...others } = known.get()
  known.set(others)
}

export const isEmpty = ({ title, content_markdown }: DraftText) => !(title + content_markdown).trim()

/** Notes whether the member has removed the whole text. */
export function noteCleared(subjectId: string) {
  const draft = getKnown(subjectId)
  if (!draft) return
  const { isCleared, ...rest } = draft
  const text = readText(subjectId)
  const isNow = isEmpty(text) && rest.hash !== hashText(text)
  if (isNow !== (isCleared ?? false))
    known.set({ ...known.get(), [subjectId]: isNow ? { ...rest, isCleared: true } : rest })
}

/** Whether the text here is another than the one on the server was. */
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
