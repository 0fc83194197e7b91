import { useSyncExternalStore } from 'react'
import { createStoredValue } from './storage'

/** Unsent texts by key: `post:new`, `comment:<post>`, `message:<thread>`, … */
const drafts = createStoredValue<Record<string, string>>('drafts', {})
const MAX_DRAFTS = 100

export const useDrafts = () => useSyncExternalStore(drafts.subscribe, drafts.get)

export const readDraft = (key: string) => drafts.get()[key] ?? ''

export function saveDraft(key: string, text: string) {
  const { [key]: _, ...others } = drafts.get()
  const kept = Object.entries(others).slice(-(MAX_DRAFTS - 1))
  drafts.set(Object.fromEntries(text.trim() ? [...kept, [key, text]] : kept))
}
