import { type MouseEvent, useEffect, useLayoutEffect, useRef } from 'react'
import { useLocation } from 'wouter'
import { withoutBidi } from '../../contract/bidi'
import { excerptOf } from '../../contract/excerpt'
import { isFileUrl } from '../paths'
import { changeCheckBoxes, keepFocusedBox, prepareCheckBoxes, readCheck } from './check-boxes'
import { enhanceCodeBlocks } from './code-blocks'
import { enhanceFiles } from './content-files'
import { useOpenImage } from './open-image'
import { proxyImages } from './proxied-images'
import { trustHtml } from './trusted-types'

const IMAGE = '.file-image[data-file]'

interface Props {
  html: string
  className?: string
  /** Called when a check box is changed. Without it, check boxes are disabled. */
  onCheck?(check: { item: number; is_checked: boolean; label?: string }): void
}

/** Sanitized HTML. Links within the workspace open without a reload. */
export function Content({ html, className = '', onCheck }: Props) {
  const element = useRef<HTMLDivElement>(null)
  const shown = useRef<string>(undefined)
  const [, navigate] = useLocation()
  const openImage = useOpenImage()
  const canCheck = onCheck !== undefined
  useLayoutEffect(() => {
    const before = shown.current
    shown.current = html
    if (changeCheckBoxes(element.current!, before, html)) return prepareCheckBoxes(element.current!, canCheck)
    keepFocusedBox(element.current!, () => {
      element.current!.innerHTML = trustHtml(proxyImages(html))
      prepareCheckBoxes(element.current!, canCheck)
    })
    for (const block of element.current!.querySelectorAll('pre, table')) block.setAttribute('tabindex', '0')
    enhanceCodeBlocks(element.current!)
    enhanceFiles(element.current!)
  }, [html, canCheck])
  useCheckBoxes(element, onCheck)

  function followLink(event: MouseEvent) {
    const link = (event.target as Element).closest('a')
    if (!link || link.origin !== location.origin || event.button !== 0) return
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return
    const image = link.closest<HTMLElement>(IMAGE)?.dataset.file
    // These links lead to the server, not to a page of the app.
    if (isFileUrl(link.pathname) && !image) return
    event.preventDefault()
    if (image) return openImage(image)
    navigate(link.pathname + link.search + link.hash)
  }
  // biome-ignore lint/a11y/noStaticElementInteractions lint/a11y/useKeyWithClickEvents: the links inside have the focus; Enter on a link is a click.
  return <div ref={element} className={`content ${className}`} onClick={followLink} />
}

/** React does not render the check boxes, so the container listens to their changes. */
function useCheckBoxes(element: { current: HTMLElement | null }, onCheck: Props['onCheck']) {
  useEffect(() => {
    const container = element.current
    if (!container || !onCheck) return
    const handleChange = ({ target }: Event) => {
      if (target instanceof HTMLInputElement && target.type === 'checkbox') onCheck(readCheck(container, target))
    }
    container.addEventListener('change', handleChange)
    return () => container.removeEventListener('change', handleChange)
  }, [element, onCheck])
}

const MAX_EXCERPT = 300

/** The beginning of a text, without markup. */
export const toExcerpt = (html: string): string => withoutBidi(excerptOf(html, MAX_EXCERPT))
