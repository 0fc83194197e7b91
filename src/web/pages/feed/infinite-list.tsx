import { type QueryKey, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, type RefObject, useLayoutEffect, useRef, useState } from 'react'
import type { Pages } from '../../data/cache/lists'
import type { usePages } from '../../data/cache/pages'
import { ProblemNote } from '../../parts/states'
import { useNearViewport } from '../../parts/use-near-viewport'
import { useKeys } from '../../shell/keys'
import { getHistoryEntry, getScrollPosition, saveScrollPosition } from '../../shell/scroll-positions'

/** The cursor a list starts at: the remembered position on Back, else the start. */
export function useStartCursor(queryKey: QueryKey): string | undefined {
  const cache = useQueryClient()
  const [from] = useState(() => {
    const position = getScrollPosition()
    const loaded = cache.getQueryData<Pages<unknown>>(queryKey)
    // A new visit starts at the top, even if the cached list does not.
    if (!position && loaded?.pages[0]?.prev_cursor) cache.removeQueries({ queryKey })
    return position?.cursor
  })
  return from
}

type Loaded<T> = ReturnType<typeof usePages<T>>

interface Props<T> {
  name: string
  pages: Loaded<T>
  skeleton: ReactNode
  children(record: T): ReactNode
  /** Renders the container of the rows, if it is not a list. */
  renderContainer?(rows: RefObject<HTMLElement | null>, children: ReactNode): ReactNode
}

/**
 * A list that loads further pages while scrolling, in both directions. Visible rows stay in place, Back restores the
 * scroll position, and `j` and `k` move from row to row.
 */
export function InfiniteList<T extends { id: string }>({ name, pages, skeleton, children, renderContainer }: Props<T>) {
  const list = useRef<HTMLElement>(null)
  useRowAnchor(list, pages.records)
  useScrollRestoration(list, pages)
  useRowKeys(list)

  const { hasPreviousPage, hasNextPage, isFetchingPreviousPage, isFetchingNextPage } = pages
  const before = useNearViewport(hasPreviousPage && !isFetchingPreviousPage, () => void pages.fetchPreviousPage())
  const isNextWanted = hasNextPage && !isFetchingNextPage && !pages.isFetchNextPageError
  const after = useNearViewport(isNextWanted, () => void pages.fetchNextPage())
  return (
    <>
      <div ref={before} />
      {renderContainer?.(list, pages.records.map(children)) ?? (
        <ol ref={list as RefObject<HTMLOListElement>} className="infinite-list" aria-label={name}>
          {pages.records.map(children)}
        </ol>
      )}
      {isFetchingNextPage && skeleton}
      {pages.isFetchNextPageError && <ProblemNote error={pages.error} retry={() => void pages.fetchNextPage()} />}
      <div ref={after} />
    </>
  )
}

const getRows = (list: HTMLElement) => [...list.children] as HTMLElement[]
const getTop = (row: HTMLElement) => row.getBoundingClientRect().top + scrollY

/** Keeps visible rows in place when rows above them are added or removed. */
function useRowAnchor(list: RefObject<HTMLElement | null>, records: readonly unknown[]) {
  const tops = useRef(new Map<string, number>())
  useLayoutEffect(() => {
    const rows = getRows(list.current!)
    // At the top, new rows push the others down.
    if (scrollY > 0) {
      const kept = rows.find((row) => (tops.current.get(row.id) ?? -1) >= scrollY)
      if (kept) scrollBy(0, getTop(kept) - tops.current.get(kept.id)!)
    }
    tops.current = new Map(rows.map((row) => [row.id, getTop(row)]))
  }, [list, records.length, records[0], records.at(-1)])
}

/** Restores the scroll position on Back, and saves it while scrolling. */
function useScrollRestoration<T extends { id: string }>(list: RefObject<HTMLElement | null>, pages: Loaded<T>) {
  const latest = useRef(pages)
  latest.current = pages
  useLayoutEffect(() => {
    const entry = getHistoryEntry()
    const position = getScrollPosition()
    const row = position && document.getElementById(position.id)
    scrollTo(0, row ? getTop(row) - position.offset : 0)

    const save = () => {
      clearTimeout(timer)
      const top =
        scrollY > 0 && list.current && getRows(list.current).find((row) => row.getBoundingClientRect().bottom > 0)
      saveScrollPosition(
        entry,
        top ? { id: top.id, offset: top.getBoundingClientRect().top, cursor: findCursor(top.id) } : undefined,
      )
    }
    const findCursor = (id: string) => {
      const { data } = latest.current
      const at = data?.pages.findIndex((page) => page.data.some((record) => record.id === id)) ?? -1
      return data?.pageParams[at] as string | undefined
    }
    let timer: ReturnType<typeof setTimeout> | undefined
    const saveSoon = () => {
      clearTimeout(timer)
      timer = setTimeout(save, 100)
    }
    addEventListener('scroll', saveSoon, { passive: true })
    addEventListener('pagehide', save)
    return () => {
      // Also without a scroll event: the browser reports scrolling later than a click that follows it.
      save()
      removeEventListener('scroll', saveSoon)
      removeEventListener('pagehide', save)
    }
  }, [list])
}

/** Moves the focus with `j` and `k` from link to link, usually one per row; `o` opens the focused one. */
export function useRowKeys(list: RefObject<HTMLElement | null>) {
  const links = () => [...list.current!.querySelectorAll<HTMLAnchorElement>('a[data-row]')]
  const findFocused = (all: HTMLAnchorElement[]) => {
    const focused = document.activeElement
    const at = all.indexOf(focused as HTMLAnchorElement)
    return at >= 0 ? at : all.findIndex((link) => link.closest('li, tr')!.contains(focused))
  }
  const moveFocus = (by: number) => {
    const all = links()
    const at = findFocused(all)
    const visible = all.findIndex((link) => link.getBoundingClientRect().top >= 0)
    const next = all[at < 0 ? visible : Math.min(all.length - 1, Math.max(0, at + by))]
    next?.focus()
    next?.closest('li, tr')!.scrollIntoView({ block: 'nearest' })
  }
  useKeys('In a list', {
    j: { label: 'Next', run: () => moveFocus(1) },
    k: { label: 'Previous', run: () => moveFocus(-1) },
    o: {
      label: 'Open',
      run: () => {
        const all = links()
        all[findFocused(all)]?.click()
      },
    },
  })
}
