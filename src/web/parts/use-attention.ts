import { useSyncExternalStore } from 'react'

function subscribe(listener: () => void) {
  document.addEventListener('visibilitychange', listener)
  addEventListener('focus', listener)
  addEventListener('blur', listener)
  return () => {
    document.removeEventListener('visibilitychange', listener)
    removeEventListener('focus', listener)
    removeEventListener('blur', listener)
  }
}

const isAttentive = () => document.visibilityState === 'visible' && document.hasFocus()

/** Whether the page is visible and its window has the focus. */
export const useAttention = () => useSyncExternalStore(subscribe, isAttentive)
