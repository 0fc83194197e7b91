import { useQuery } from '@tanstack/react-query'
import type { Preferences } from '../../contract/me'
import { cache, parley } from './parley'
import { readStored, store } from './storage'

const KEY = ['preferences']
const STORED = 'preferences'

/** How the web app behaves for this member. Until the server has answered, as it did last in this browser. */
export const usePreferences = (): Preferences =>
  useQuery({
    queryKey: KEY,
    queryFn: async () => remember(await parley.me.getPreferences()),
    placeholderData: () => readStored<Preferences>(STORED, { enter_sends: true }),
  }).data!

function remember(preferences: Preferences): Preferences {
  store(STORED, preferences)
  return preferences
}

/** Shows the change at once, and the old value again if it fails. */
export async function updatePreferences(changes: Partial<Preferences>) {
  const before = cache.getQueryData<Preferences>(KEY)
  if (before) cache.setQueryData(KEY, { ...before, ...changes })
  try {
    cache.setQueryData(KEY, remember(await parley.me.updatePreferences(changes)))
  } catch (error) {
    cache.setQueryData(KEY, before)
    throw error
  }
}
