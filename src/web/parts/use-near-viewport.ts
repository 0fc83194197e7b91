import { useEffect, useRef } from 'react'

/** How far outside the window the next page is loaded. */
const AHEAD_PX = 1200

/**
 * Calls back when an element comes near the window, or near the part of a scrolling area that is shown. Each time it is
 * enabled, for example when a page has been loaded, an element that is near already counts.
 */
export function useNearViewport(isEnabled: boolean, onNear: () => void) {
  const element = useRef<HTMLDivElement>(null)
  const latest = useRef(onNear)
  latest.current = onNear
  useEffect(() => {
    if (!isEnabled || !element.current) return
    const observer = new IntersectionObserver(
      (entries) => {
        if (!entries.some(({ isIntersecting }) => isIntersecting)) return
        observer.disconnect()
        latest.current()
      },
      // A margin around the window does not count within a scrolling area.
      { root: findScroller(element.current), rootMargin: `${AHEAD_PX}px 0px` },
    )
    observer.observe(element.current)
    return () => observer.disconnect()
  }, [isEnabled])
  return element
}

/** A list that is loaded page by page in both directions. */
export interface PagedEnds {
  hasPreviousPage: boolean
  hasNextPage: boolean
  isFetching: boolean
  isFetchPreviousPageError: boolean
  isFetchNextPageError: boolean
  fetchPreviousPage(options?: { cancelRefetch: boolean }): Promise<unknown>
  fetchNextPage(options?: { cancelRefetch: boolean }): Promise<unknown>
}

/** Loads further pages of a list when its ends come near the window, one at a time. What failed is not tried again by itself. */
export function useNearPages(pages: PagedEnds, isEnabled = true) {
  const { hasPreviousPage, hasNextPage, isFetching } = pages
  const canLoad = isEnabled && !isFetching
  // Loading the list anew has what the page would show.
  const options = { cancelRefetch: false }
  const isBeforeWanted = hasPreviousPage && canLoad && !pages.isFetchPreviousPageError
  const isAfterWanted = hasNextPage && canLoad && !pages.isFetchNextPageError
  return {
    before: useNearViewport(isBeforeWanted, () => void pages.fetchPreviousPage(options)),
    after: useNearViewport(isAfterWanted, () => void pages.fetchNextPage(options)),
  }
}

/** The scrolling area around an element; null is the window. */
function findScroller(element: Element): Element | null {
  for (let parent = element.parentElement; parent && parent !== document.body; parent = parent.parentElement)
    if (/auto|scroll/.test(getComputedStyle(parent).overflowY)) return parent
  return null
}
