import { useCallback, useLayoutEffect, useRef, useState } from 'react'

/** As close to the end as one means it. */
const NEAR_PX = 48

/**
 * Keeps a conversation where one reads it. At the end it stays at the end, whatever comes or grows; anywhere else, what
 * one sees stays where it is, also when older messages come in above. Where newer ones are not loaded, the end is none.
 */
export function useScrollAnchor(box: { current: HTMLElement | null }, revision: unknown, isWhole: boolean) {
  const [isAtEnd, setAtEnd] = useState(true)
  const [isFar, setFar] = useState(false)
  const wasAtEnd = useRef(true)
  const wantsEnd = useRef(false)
  const hasEnd = useRef(isWhole)
  hasEnd.current = isWhole
  const anchor = useRef<{ id: string; top: number }>(undefined)

  const note = useCallback(() => {
    const { scrollHeight, scrollTop, clientHeight } = box.current!
    const below = scrollHeight - scrollTop - clientHeight
    wasAtEnd.current = below < NEAR_PX && hasEnd.current
    anchor.current = firstVisible(box.current!)
    setAtEnd(wasAtEnd.current)
    setFar(below > clientHeight || !hasEnd.current)
  }, [box])
  const settle = useCallback(() => {
    const { current } = box
    if (wantsEnd.current && hasEnd.current) {
      wantsEnd.current = false
      wasAtEnd.current = true
    }
    const kept = anchor.current && document.getElementById(anchor.current.id)
    if (wasAtEnd.current) current!.scrollTop = current!.scrollHeight
    else if (kept) current!.scrollTop += topIn(current!, kept) - anchor.current!.top
    note()
  }, [box, note])

  useLayoutEffect(settle, [settle, revision])
  // Not later than the layout: a page that waits for another is hidden then, and its box is none.
  useLayoutEffect(() => {
    const element = box.current!
    const observer = new ResizeObserver(settle)
    observer.observe(element)
    for (const child of element.children) observer.observe(child)
    element.addEventListener('scroll', note, { passive: true })
    return () => {
      observer.disconnect()
      element.removeEventListener('scroll', note)
    }
  }, [box, note, settle])

  const goToEnd = useCallback(() => {
    wantsEnd.current = true
    settle()
  }, [settle])
  const goTo = useCallback(
    (element: HTMLElement) => {
      wasAtEnd.current = false
      element.scrollIntoView({ block: 'center' })
      note()
    },
    [note],
  )
  return { isAtEnd, isFar, goToEnd, goTo }
}

const topIn = (box: HTMLElement, element: HTMLElement) =>
  element.getBoundingClientRect().top - box.getBoundingClientRect().top

function firstVisible(box: HTMLElement) {
  for (const element of box.querySelectorAll<HTMLElement>('.message[id]')) {
    const top = topIn(box, element)
    if (top + element.offsetHeight > 0) return { id: element.id, top }
  }
  return undefined
}
