import { useEffect, useLayoutEffect, useState, useSyncExternalStore } from 'react'
import { kindOf } from '../../../contract/browser/kinds'
import { ensureCommentLoaded } from '../../data/comments'
import { findFirstShown, scrollToRow, scrollToTop } from '../../parts/use-row-anchor'
import { getHistoryEntry, getScrollPosition, saveScrollPosition } from '../../shell/scroll-positions'

const NAVIGATION_EVENTS = ['hashchange', 'popstate', 'pushState', 'replaceState']
const subscribe = (listener: () => void) => {
  for (const event of NAVIGATION_EVENTS) addEventListener(event, listener)
  return () => {
    for (const event of NAVIGATION_EVENTS) removeEventListener(event, listener)
  }
}

/** The comment that the URL points to: loads it, scrolls to it and highlights it. */
export function useLinkedComment(postId: string, isLoaded: boolean) {
  const hash = useSyncExternalStore(subscribe, () => location.hash.slice(1))
  const [state, setState] = useState<{ id: string; isMissing: boolean }>()
  useEffect(() => {
    if (!isLoaded || kindOf(hash) !== 'comment') return setState(undefined)
    let isWanted = true
    void goToComment(postId, hash).then(
      (isFound) => isWanted && setState({ id: hash, isMissing: !isFound }),
      // Without a connection, nobody knows.
      () => undefined,
    )
    return () => {
      isWanted = false
    }
  }, [postId, hash, isLoaded])
  return state
}

/** Loads a comment if necessary, then scrolls to it. Returns false if it does not exist. */
export async function goToComment(postId: string, id: string): Promise<boolean> {
  const isFound = document.getElementById(id) !== null || (await ensureCommentLoaded(postId, id))
  if (isFound) (await waitForComment(id))?.focus({ preventScroll: true })
  const row = document.getElementById(id)
  if (row) scrollToRow(id, Number.parseFloat(getComputedStyle(row).scrollMarginTop))
  return isFound
}

const MAX_WAIT_MS = 3_000

/** Comments and replies, from top to bottom. */
export const listArticles = (root: ParentNode) => root.querySelectorAll<HTMLElement>('.comment > article')

/** Waits until a comment is rendered. */
function waitForComment(id: string): Promise<HTMLElement | null> {
  const deadline = Date.now() + MAX_WAIT_MS
  return new Promise((resolve) => {
    const check = () => {
      const element = document.querySelector<HTMLElement>(`#${CSS.escape(id)} > article`)
      if (element || Date.now() > deadline) resolve(element)
      else requestAnimationFrame(check)
    }
    check()
  })
}

/** Restores the scroll position on Back. A new visit starts at the top. */
export function useScrollRestoration(postId: string, isLoaded: boolean) {
  useLayoutEffect(() => {
    if (!getScrollPosition()) scrollToTop()
  }, [])
  useLayoutEffect(() => {
    if (!isLoaded) return
    const entry = getHistoryEntry()
    const position = getScrollPosition()
    if (position && !location.hash) void restoreScroll(postId, position).catch(() => undefined)

    let timer: ReturnType<typeof setTimeout> | undefined
    const save = () => {
      const articles = listArticles(document)
      const top = scrollY > 0 ? articles[findFirstShown(articles)]?.parentElement : undefined
      saveScrollPosition(entry, top ? { id: top.id, offset: top.getBoundingClientRect().top } : undefined)
    }
    const saveSoon = () => {
      clearTimeout(timer)
      timer = setTimeout(save, 100)
    }
    addEventListener('scroll', saveSoon, { passive: true })
    addEventListener('pagehide', save)
    return () => {
      clearTimeout(timer)
      // The browser reports scrolling later than a click that follows it.
      save()
      removeEventListener('scroll', saveSoon)
      removeEventListener('pagehide', save)
    }
  }, [postId, isLoaded])
}

async function restoreScroll(postId: string, { id, offset }: { id: string; offset: number }) {
  if (!document.getElementById(id) && !(await ensureCommentLoaded(postId, id))) return
  if (await waitForComment(id)) scrollToRow(id, offset)
}
