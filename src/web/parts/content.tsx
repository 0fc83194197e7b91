import { type MouseEvent, useLayoutEffect, useRef } from 'react'
import { useLocation } from 'wouter'
import { enhanceCodeBlocks } from './code-blocks'

import { toText } from './html-text'
import { trustHtml } from './trusted-types'

/** Sanitized HTML. Links within the workspace open without a reload. */
export function Content({ html, className = '' }: { html: string; className?: string }) {
  const element = useRef<HTMLDivElement>(null)
  const [, navigate] = useLocation()
  useLayoutEffect(() => {
    element.current!.innerHTML = trustHtml(html)
    for (const box of element.current!.querySelectorAll('input[type=checkbox]'))
      box.setAttribute('aria-label', box.parentElement?.textContent?.trim() || 'Task')
    for (const block of element.current!.querySelectorAll('pre, table')) block.setAttribute('tabindex', '0')
    enhanceCodeBlocks(element.current!)
  }, [html])

  function followLink(event: MouseEvent) {
    const link = (event.target as Element).closest('a')
    if (!link || link.origin !== location.origin || event.button !== 0) return
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return
    event.preventDefault()
    navigate(link.pathname + link.search + link.hash)
  }
  // biome-ignore lint/a11y/noStaticElementInteractions lint/a11y/useKeyWithClickEvents: the links inside have the focus; Enter on a link is a click.
  return <div ref={element} className={`content ${className}`} onClick={followLink} />
}

const MAX_EXCERPT = 300

/** The start of a text, without markup. */
export const toExcerpt = (html: string): string => toText(html.slice(0, MAX_EXCERPT * 5)).slice(0, MAX_EXCERPT)
