import { type ReactNode, useEffect, useRef } from 'react'
import type { usePages } from '../data/pages'
import { ProblemNote } from './states'

interface Props<T> {
  name: string
  pages: ReturnType<typeof usePages<T>>
  className?: string
  bones?: ReactNode
  children(record: T): ReactNode
}

/** A list inside a page or a dialog that goes on, both ways, as its ends come into sight. */
export function MoreList<T>({ name, pages, className = 'rows', bones, children }: Props<T>) {
  const { hasPreviousPage, hasNextPage, isFetchingPreviousPage, isFetchingNextPage } = pages
  const before = useSight(hasPreviousPage && !isFetchingPreviousPage, () => void pages.fetchPreviousPage())
  const after = useSight(hasNextPage && !isFetchingNextPage, () => void pages.fetchNextPage())
  return (
    <div>
      <div ref={before} />
      <ul className={className} aria-label={name}>
        {pages.records.map(children)}
      </ul>
      {isFetchingNextPage && bones}
      {pages.isFetchNextPageError && <ProblemNote error={pages.error} retry={() => void pages.fetchNextPage()} />}
      <div ref={after} />
    </div>
  )
}

/** Calls when an element comes into sight. */
function useSight(isOn: boolean, call: () => void) {
  const element = useRef<HTMLDivElement>(null)
  const latest = useRef(call)
  latest.current = call
  useEffect(() => {
    if (!isOn) return
    const observer = new IntersectionObserver(([entry]) => entry!.isIntersecting && latest.current(), {
      rootMargin: '400px 0px',
    })
    observer.observe(element.current!)
    return () => observer.disconnect()
  }, [isOn])
  return element
}
