import { type RefObject, useLayoutEffect, useRef } from 'react'

/** A row in the window, and where its top is, from the top of the window. */
interface Held {
  element: Element
  top: number
}

/** Rows below the topmost one are held, too, because that one may be removed or move. */
const MAX_HELD = 6

/** What is written in or was gone to stays in view, whatever happens above it. */
const FOCUSED = '[data-writing], article'

/** Where a row should be. It may take pages that are not loaded yet until it can be there. */
let wanted: { id: string; top: number } | undefined

/** The scroll position that is known. Another one is the user's, or comes from a link or a key. */
let knownScroll = 0

/** Scrolls to a row, and keeps it there while the page around it loads, until something else scrolls. */
export function scrollToRow(id: string, top: number) {
  wanted = { id, top }
  scrollToWanted()
}

/** Scrolls to the start of a page. */
export function scrollToTop() {
  wanted = undefined
  scrollTo(0, 0)
}

function scrollToWanted(): boolean {
  const row = wanted && document.getElementById(wanted.id)
  if (!row) return false
  scrollBy(0, getTop(row) - wanted!.top)
  knownScroll = scrollY
  return true
}

const getTop = (element: Element) => element.getBoundingClientRect().top

/** The index of the first row that is at least partly below the top of the window. */
export function findFirstShown(rows: ArrayLike<Element>): number {
  let [low, high] = [0, rows.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (rows[middle]!.getBoundingClientRect().bottom > 0) high = middle
    else low = middle + 1
  }
  return low
}

function listShown(rows: ArrayLike<Element>): Held[] {
  const focused = document.activeElement
  if (focused?.matches(FOCUSED)) {
    const { top, bottom } = focused.getBoundingClientRect()
    if (bottom > 0 && top < innerHeight) return [{ element: focused, top }]
  }
  const first = findFirstShown(rows)
  return Array.from({ length: Math.min(MAX_HELD, rows.length - first) }, (_, at) => {
    const element = rows[first + at]!
    return { element, top: getTop(element) }
  })
}

/**
 * How far the rows have moved since. One of them may have moved within the list, and those below a row that has grown are
 * further down; the first two that moved alike tell.
 */
function measureMove(held: readonly Held[]): number | undefined {
  const moves = held.filter(({ element }) => element.isConnected).map(({ element, top }) => getTop(element) - top)
  return moves.find((move, at) => at + 1 === moves.length || Math.abs(move - moves[at + 1]!) < 1)
}

/**
 * Keeps the rows of a list in place when others are added, removed or resized above them, and the focused text, if it is in
 * view. Most browsers anchor resized rows themselves; this does the rest. At the top, new rows push the others down.
 */
export function useRowAnchor(
  root: RefObject<HTMLElement | null>,
  listRows: (root: HTMLElement) => ArrayLike<Element>,
  revision: unknown,
) {
  const anchor = useRef<ReturnType<typeof createAnchor>>(undefined)
  // Before the rows change: a scroll that was not reported yet must not be undone.
  anchor.current?.refresh()
  useLayoutEffect(() => {
    anchor.current = createAnchor(() => (root.current ? listRows(root.current) : []))
    return anchor.current.watch(root.current!.closest('main') ?? root.current!)
  }, [root, listRows])
  // Each revision may have moved the rows.
  useLayoutEffect(() => anchor.current!.hold(), [revision])
}

function createAnchor(listRows: () => ArrayLike<Element>) {
  let held: Held[] = []

  function measure() {
    held = listShown(listRows())
    knownScroll = scrollY
  }

  const isScrolled = () => Math.abs(scrollY - knownScroll) >= 1

  function refresh() {
    if (!wanted && isScrolled()) measure()
  }

  /** The browser may have anchored some of it already. */
  function hold() {
    if (!scrollToWanted() && (scrollY > 0 || held[0]?.element === document.activeElement)) {
      const move = measureMove(held)
      if (move !== undefined && Math.abs(move) >= 1) scrollBy(0, move)
    }
    measure()
  }

  function watch(page: HTMLElement): () => void {
    const end = new AbortController()
    const observer = new ResizeObserver(hold)
    observer.observe(page)
    const handleScroll = () => {
      if (!isScrolled()) return
      wanted = undefined
      measure()
    }
    const handleFocus = ({ target }: FocusEvent) => {
      if (target instanceof HTMLTextAreaElement) wanted = undefined
      measure()
    }
    addEventListener('scroll', handleScroll, { passive: true, signal: end.signal })
    page.addEventListener('focusin', handleFocus, { signal: end.signal })
    page.addEventListener('focusout', measure, { signal: end.signal })
    return () => {
      wanted = undefined
      observer.disconnect()
      end.abort()
    }
  }

  return { refresh, hold, watch }
}
