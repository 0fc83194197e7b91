import { useSyncExternalStore } from 'react'
import { hasFailed, subscribeToFailures } from './draft-sync'
import { getSubject, hasChanged, isEmpty, readDraft, readText, subscribeToDrafts, subscribeToKnown } from './drafts'

/**
 * Where the draft of an editor is kept by now. `saving`: it is on its way. `saved`: the server has it, so it is on all devices.
 * `here`: in this browser only, until the server can be reached.
 */
export type DraftState = 'none' | 'saving' | 'saved' | 'here'

function readState(draftKey: string): DraftState {
  const subjectId = getSubject(draftKey)
  if (!subjectId) return readDraft(draftKey) ? 'here' : 'none'
  if (isEmpty(readText(subjectId))) return 'none'
  if (!hasChanged(subjectId)) return 'saved'
  return navigator.onLine && !hasFailed(subjectId) ? 'saving' : 'here'
}

function subscribe(listener: () => void) {
  const ends = [subscribeToDrafts(listener), subscribeToKnown(listener), subscribeToFailures(listener)]
  addEventListener('online', listener)
  addEventListener('offline', listener)
  return () => {
    for (const end of ends) end()
    removeEventListener('online', listener)
    removeEventListener('offline', listener)
  }
}

export const useDraftState = (draftKey: string): DraftState =>
  useSyncExternalStore(subscribe, () => readState(draftKey))
