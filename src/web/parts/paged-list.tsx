import type { ReactNode } from 'react'
import { ProblemNote } from './states'
import { type PagedEnds, useNearPages } from './use-near-viewport'

export interface LoadedPages<T> extends PagedEnds {
  records: T[]
  error: Error | null
  isFetchingNextPage: boolean
}

interface Props<T> {
  name: string
  pages: LoadedPages<T>
  className?: string
  skeleton?: ReactNode
  children(record: T): ReactNode
}

/** A list within a page or dialog that loads further pages while scrolling. */
export function PagedList<T>({ name, pages, className = 'rows', skeleton, children }: Props<T>) {
  const { before, after } = useNearPages(pages)
  return (
    <div>
      <div ref={before} />
      <ul className={className} aria-label={name}>
        {pages.records.map(children)}
      </ul>
      {pages.isFetchingNextPage && skeleton}
      {pages.isFetchNextPageError && <ProblemNote error={pages.error} retry={() => void pages.fetchNextPage()} />}
      <div ref={after} />
    </div>
  )
}
