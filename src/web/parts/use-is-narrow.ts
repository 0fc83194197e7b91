import { useSyncExternalStore } from 'react'

const narrow = matchMedia('(max-width: 699px)')
const subscribe = (listener: () => void) => {
  narrow.addEventListener('change', listener)
  return () => narrow.removeEventListener('change', listener)
}

/** Whether the window is as narrow as that of a phone. */
export const useIsNarrow = () => useSyncExternalStore(subscribe, () => narrow.matches)
