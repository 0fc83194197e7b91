import { useSyncExternalStore } from 'react'
import { stored } from './storage'

/** What was written and not sent yet, by place: `post:<channel>`, `comment:<post>`, `message:<thread>`, … */
const drafts = stored<Record<string, string>>('drafts', {})
const MOST_DRAFTS = 100

export const useDrafts = () => useSyncExternalStore(drafts.subscribe, drafts.get)

export const readDraft = (place: string) => drafts.get()[place] ?? ''

export function keepDraft(place: string, text: string) {
  const { [place]: _, ...others } = drafts.get()
  const kept = Object.entries(others).slice(-(MOST_DRAFTS - 1))
  drafts.set(Object.fromEntries(text.trim() ? [...kept, [place, text]] : kept))
}
