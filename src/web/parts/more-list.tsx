import type { ReactNode } from 'react'
import { ProblemNote } from './states'
import { useSight } from './use-sight'

/** A list that is loaded page by page, both ways. */
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

/** A list inside a page or a dialog that goes on, both ways, as its ends come into sight. */
export function MoreList<T>({ name, pages, className = 'rows', skeleton, children }: Props<T>) {
  const { hasPreviousPage, hasNextPage, isFetchingPreviousPage, isFetchingNextPage } = pages
  const before = useSight(hasPreviousPage && !isFetchingPreviousPage, () => void pages.fetchPreviousPage())
  const isNextWanted = hasNextPage && !isFetchingNextPage && !pages.isFetchNextPageError
  const after = useSight(isNextWanted, () => void pages.fetchNextPage())
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
