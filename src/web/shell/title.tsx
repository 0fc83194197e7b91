import { type ReactNode, useEffect, useRef } from 'react'
import { useMe } from '../data/me'
import { noteVisit } from '../data/recents'

let isFirstPage = true

/** The heading of a page: it names the tab, and takes the focus when one comes from another page. */
export function PageTitle({ title, children }: { title: string; children?: ReactNode }) {
  const heading = useRef<HTMLHeadingElement>(null)
  const { workspace } = useMe()
  useEffect(() => {
    document.title = `${title} · ${workspace.name}`
    noteVisit(location.pathname, title)
  }, [title, workspace.name])
  useEffect(() => {
    if (!isFirstPage) heading.current!.focus({ preventScroll: true })
    isFirstPage = false
  }, [])
  return (
    <h1 ref={heading} tabIndex={-1}>
      {children ?? title}
    </h1>
  )
}
