import { type QueryKey, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, type RefObject, useLayoutEffect, useRef, useState } from 'react'
import type { Pages } from '../../data/cache/lists'
import type { usePages } from '../../data/cache/pages'
import { ProblemNote } from '../../parts/states'
import { useNearPages } from '../../parts/use-near-viewport'
import { findFirstShown, scrollToRow, scrollToTop, useRowAnchor } from '../../parts/use-row-anchor'
import { useKeys } from '../../shell/keys'
import { getHistoryEntry, getScrollPosition, saveScrollPosition } from '../../shell/scroll-positions'

/** The cursor a list starts at: the remembered position on Back, else the start. */
export function useStartCursor(queryKey: QueryKey): string | undefined {
  const cache = useQueryClient()
  const [from] = useState(() => {
    const position = getScrollPosition()
    const loaded = cache.getQueryData<Pages<unknown>>(queryKey)
    // A new visit starts at the top, even if the cached list does not. On Back, it may be another part of the list.
    const isOther = position?.cursor ? !loaded?.pageParams.includes(position.cursor) : loaded?.pages[0]?.prev_cursor
    if (loaded && isOther) cache.removeQueries({ queryKey, exact: true })
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
  useRowAnchor(list, getRows, pages.data)
  useScrollRestoration(list, pages)
  useRowKeys(list)

  const { before, after } = useNearPages(pages)
  return (
    <>
      <div ref={before} />
      {renderContainer?.(list, pages.records.map(children)) ?? (
        <ol ref={list as RefObject<HTMLOListElement>} className="infinite-list" aria-label={name}>
          {pages.records.map(children)}
        </ol>
      )}
      {pages.isFetchingNextPage && skeleton}
      {pages.isFetchNextPageError && <ProblemNote error={pages.error} retry={() => void pages.fetchNextPage()} />}
      <div ref={after} />
    </>
  )
}

const getRows = (list: HTMLElement) => list.children

/** Restores the scroll position on Back, and saves it while scrolling. */
function useScrollRestoration<T extends { id: string }>(list: RefObject<HTMLElement | null>, pages: Loaded<T>) {
  const latest = useRef(pages)
  latest.current = pages
  useLayoutEffect(() => {
    const entry = getHistoryEntry()
    const position = getScrollPosition()
    if (position && document.getElementById(position.id)) scrollToRow(position.id, position.offset)
    else scrollToTop()

    const save = () => {
      clearTimeout(timer)
      const rows = scrollY > 0 && list.current ? getRows(list.current) : undefined
      const top = rows?.[findFirstShown(rows)]
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

const getRow = (link: HTMLElement) => link.closest<HTMLElement>('li, tr')!

/** Moves the focus with `j` and `k` from link to link, usually one per row; `o` opens the focused one. */
export function useRowKeys(list: RefObject<HTMLElement | null>) {
  const links = () => [...list.current!.querySelectorAll<HTMLAnchorElement>('a[data-row]')]
  const findFocused = (all: HTMLAnchorElement[]) => {
    const focused = document.activeElement
    const at = all.indexOf(focused as HTMLAnchorElement)
    return at >= 0 ? at : all.findIndex((link) => getRow(link).contains(focused))
  }
  const moveFocus = (by: number) => {
    const all = links()
    const at = findFocused(all)
    // The rows, not the links: those outside of the window would be laid out for it.
    const findShown = () => all.findIndex((link) => getRow(link).getBoundingClientRect().top >= 0)
    const next = all[at < 0 ? findShown() : Math.min(all.length - 1, Math.max(0, at + by))]
    if (!next) return
    next.focus()
    getRow(next).scrollIntoView({ block: 'nearest' })
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
