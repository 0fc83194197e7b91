import { useLayoutEffect } from 'react'

let locks = 0

/**
 * Keeps the page below a dialog from scrolling. Its scrollbar disappears, so that the backdrop covers the whole window, and
 * the page keeps its width.
 */
export function useScrollLock() {
  useLayoutEffect(() => {
    const { documentElement: root, body } = document
    if (locks++ === 0) {
      body.style.paddingRight = `${innerWidth - root.clientWidth}px`
      root.style.overflowY = 'hidden'
    }
    return () => {
      if (--locks > 0) return
      body.style.paddingRight = ''
      root.style.overflowY = ''
    }
  }, [])
}
