import { type ReactNode, useEffect, useRef } from 'react'
import { withoutBidi } from '../../contract/browser/fold'
import { forgetPage, rememberPage } from '../data/cache/storage'
import { useMe } from '../data/me'
import { setTitle } from './document-title'

let isFirstPage = true

interface Props {
  title: string
  /** The record of this page does not exist or is not visible. */
  isNotFound?: boolean
  children?: ReactNode
}

/** The heading of a page. Sets the document title, and takes the focus after navigation. */
export function PageTitle({ title, isNotFound = false, children }: Props) {
  const heading = useRef<HTMLHeadingElement>(null)
  const { workspace } = useMe()
  useEffect(() => {
    setTitle(withoutBidi(`${title} · ${workspace.name}`))
    if (isNotFound) forgetPage(location.pathname)
    else rememberPage(location.pathname, title)
  }, [title, isNotFound, workspace.name])
  useEffect(() => {
    if (!isFirstPage) heading.current!.focus({ preventScroll: true })
    isFirstPage = false
  }, [])
  return (
    <h1 ref={heading} tabIndex={-1} dir="auto">
      {children ?? title}
    </h1>
  )
}
