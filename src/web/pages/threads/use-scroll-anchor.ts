import { useCallback, useLayoutEffect, useRef, useState } from 'react'

/** Counts as the end. */
const NEAR_PX = 48

/**
 * Keeps the scroll position of a conversation. At the end it follows new messages. Elsewhere, visible messages stay in
 * place when older ones are added above. The end of the list only counts if the newest messages are loaded.
 */
export function useScrollAnchor(box: { current: HTMLElement | null }, revision: unknown, isWhole: boolean) {
  const [isAtEnd, setAtEnd] = useState(true)
  const [isFar, setFar] = useState(false)
  const wasAtEnd = useRef(true)
  const wantsEnd = useRef(false)
  const hasEnd = useRef(isWhole)
  hasEnd.current = isWhole
  const anchor = useRef<{ id: string; top: number }>(undefined)

  const savePosition = useCallback(() => {
    const { scrollHeight, scrollTop, clientHeight } = box.current!
    const below = scrollHeight - scrollTop - clientHeight
    wasAtEnd.current = below < NEAR_PX && hasEnd.current
    anchor.current = findFirstVisible(box.current!)
    setAtEnd(wasAtEnd.current)
    setFar(below > clientHeight || !hasEnd.current)
  }, [box])
  const restorePosition = useCallback(() => {
    const { current } = box
    if (wantsEnd.current && hasEnd.current) {
      wantsEnd.current = false
      wasAtEnd.current = true
    }
    const kept = anchor.current && document.getElementById(anchor.current.id)
    if (wasAtEnd.current) current!.scrollTop = current!.scrollHeight
    else if (kept) current!.scrollTop += getTopIn(current!, kept) - anchor.current!.top
    savePosition()
  }, [box, savePosition])

  useLayoutEffect(restorePosition, [restorePosition, revision])
  // In a layout effect: a suspended page is hidden before normal effects run, and has no size then.
  useLayoutEffect(() => {
    const element = box.current!
    const observer = new ResizeObserver(restorePosition)
    observer.observe(element)
    for (const child of element.children) observer.observe(child)
    element.addEventListener('scroll', savePosition, { passive: true })
    return () => {
      observer.disconnect()
      element.removeEventListener('scroll', savePosition)
    }
  }, [box, savePosition, restorePosition])

  const goToEnd = useCallback(() => {
    wantsEnd.current = true
    restorePosition()
  }, [restorePosition])
  const goTo = useCallback(
    (element: HTMLElement) => {
      wasAtEnd.current = false
      element.scrollIntoView({ block: 'center' })
      savePosition()
    },
    [savePosition],
  )
  return { isAtEnd, isFar, goToEnd, goTo }
}

const getTopIn = (box: HTMLElement, element: HTMLElement) =>
  element.getBoundingClientRect().top - box.getBoundingClientRect().top

function findFirstVisible(box: HTMLElement) {
  for (const element of box.querySelectorAll<HTMLElement>('.message[id]')) {
    const top = getTopIn(box, element)
    if (top + element.offsetHeight > 0) return { id: element.id, top }
  }
  return undefined
}
