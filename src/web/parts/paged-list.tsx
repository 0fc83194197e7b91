import type { ReactNode } from 'react'
import { ProblemNote } from './states'
import { useNearViewport } from './use-near-viewport'

/** A list that is loaded page by page in both directions. */
export interface LoadedPages<T> {
  records: T[]
  error: Error | null
  hasPreviousPage: boolean
  hasNextPage: boolean
  isFetchingPreviousPage: boolean
  isFetchingNextPage: boolean
  isFetchNextPageError: boolean
  fetchPreviousPage(): Promise<unknown>
  fetchNextPage(): Promise<unknown>
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
  const { hasPreviousPage, hasNextPage, isFetchingPreviousPage, isFetchingNextPage } = pages
  const before = useNearViewport(hasPreviousPage && !isFetchingPreviousPage, () => void pages.fetchPreviousPage())
  const isNextWanted = hasNextPage && !isFetchingNextPage && !pages.isFetchNextPageError
  const after = useNearViewport(isNextWanted, () => void pages.fetchNextPage())
  return (
    <div>
      <div ref={before} />
      <ul className={className} aria-label={name}>
        {pages.records.map(children)}
      </ul>
      {isFetchingNextPage && skeleton}
      {pages.isFetchNextPageError && <ProblemNote error={pages.error} retry={() => void pages.fetchNextPage()} />}
      <div ref={after} />
    </div>
  )
}
