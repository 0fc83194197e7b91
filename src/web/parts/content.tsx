import { type MouseEvent, useLayoutEffect, useRef } from 'react'
import { useLocation } from 'wouter'
import { withoutBidi } from '../../contract/bidi'

interface TrustedTypes {
  createPolicy(name: string, rules: { createHTML(html: string): string }): { createHTML(html: string): string }
}

/** The only place where HTML enters the page. The server has sanitized it. */
const policy = (window as { trustedTypes?: TrustedTypes }).trustedTypes?.createPolicy('parley', {
  createHTML: (html) => html,
})

/** Sanitized HTML. Links within the workspace open without a reload. */
export function Content({ html, className = '' }: { html: string; className?: string }) {
  const element = useRef<HTMLDivElement>(null)
  const [, navigate] = useLocation()
  useLayoutEffect(() => {
    element.current!.innerHTML = policy ? policy.createHTML(html) : html
    for (const box of element.current!.querySelectorAll('input[type=checkbox]'))
      box.setAttribute('aria-label', box.parentElement?.textContent?.trim() || 'Task')
    for (const block of element.current!.querySelectorAll('pre, table')) block.setAttribute('tabindex', '0')
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

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', nbsp: ' ', '#39': "'" }
const MAX_EXCERPT = 300

/** The start of a text, without markup. */
export const toExcerpt = (html: string): string =>
  withoutBidi(html.slice(0, MAX_EXCERPT * 5))
    .replace(/<\/?(?:p|h\d|li|ul|ol|pre|blockquote|br|hr|t[a-z]+|details|summary)\b[^>]*>/g, ' ')
    .replace(/<[^>]*(>|$)/g, '')
    .replace(/&(\w+|#39);/g, (whole, name) => ENTITIES[name] ?? whole)
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, MAX_EXCERPT)
