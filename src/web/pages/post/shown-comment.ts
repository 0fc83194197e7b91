import { useEffect, useLayoutEffect, useState, useSyncExternalStore } from 'react'
import { bringUp } from '../../data/comment-places'
import { currentEntry, rememberedPlace, rememberPlace } from '../../shell/places'

const MOVES = ['hashchange', 'popstate', 'pushState', 'replaceState']
const subscribe = (listener: () => void) => {
  for (const move of MOVES) addEventListener(move, listener)
  return () => {
    for (const move of MOVES) removeEventListener(move, listener)
  }
}

/** The comment that the address points at: it is loaded, scrolled to and marked. */
export function useShownComment(postId: string, isLoaded: boolean) {
  const hash = useSyncExternalStore(subscribe, () => location.hash.slice(1))
  const [state, setState] = useState<{ id: string; isMissing: boolean }>()
  useEffect(() => {
    if (!isLoaded || !hash.startsWith('cmt_')) return setState(undefined)
    let isWanted = true
    void goToComment(postId, hash).then((isThere) => isWanted && setState({ id: hash, isMissing: !isThere }))
    return () => {
      isWanted = false
    }
  }, [postId, hash, isLoaded])
  return state
}

/** Loads a comment's place where it is not loaded, and goes there. */
export async function goToComment(postId: string, id: string): Promise<boolean> {
  const isThere = document.getElementById(id) !== null || (await bringUp(postId, id))
  if (isThere) (await appearing(id))?.focus({ preventScroll: true })
  document.getElementById(id)?.scrollIntoView({ block: 'start' })
  return isThere
}

const LONGEST_WAIT_MS = 3_000

/** The comment's element, as soon as it is drawn. */
function appearing(id: string): Promise<HTMLElement | null> {
  const deadline = Date.now() + LONGEST_WAIT_MS
  return new Promise((resolve) => {
    const look = () => {
      const element = document.querySelector<HTMLElement>(`#${CSS.escape(id)} > article`)
      if (element || Date.now() > deadline) resolve(element)
      else requestAnimationFrame(look)
    }
    look()
  })
}

/** Where one was on the page is found again on Back; a new visit begins at the top. */
export function useReadingPlace(postId: string, isLoaded: boolean) {
  useLayoutEffect(() => {
    if (!rememberedPlace()) scrollTo(0, 0)
  }, [])
  useEffect(() => {
    if (!isLoaded) return
    const entry = currentEntry()
    const place = rememberedPlace()
    if (place && !location.hash) void returnTo(postId, place)

    let timer: ReturnType<typeof setTimeout> | undefined
    const remember = () => {
      const rows = [...document.querySelectorAll<HTMLElement>('.comments li[id^=cmt_]')]
      const top = scrollY > 0 ? rows.find((row) => row.getBoundingClientRect().bottom > 0) : undefined
      rememberPlace(entry, top && { id: top.id, offset: top.getBoundingClientRect().top })
    }
    const soon = () => {
      clearTimeout(timer)
      timer = setTimeout(remember, 100)
    }
    addEventListener('scroll', soon, { passive: true })
    addEventListener('pagehide', remember)
    return () => {
      clearTimeout(timer)
      removeEventListener('scroll', soon)
      removeEventListener('pagehide', remember)
    }
  }, [postId, isLoaded])
}

async function returnTo(postId: string, { id, offset }: { id: string; offset: number }) {
  if (!document.getElementById(id) && !(await bringUp(postId, id))) return
  await appearing(id)
  const row = document.getElementById(id)
  if (row) scrollTo(0, row.getBoundingClientRect().top + scrollY - offset)
}
