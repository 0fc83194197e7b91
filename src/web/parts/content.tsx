import { type MouseEvent, useEffect, useLayoutEffect, useRef } from 'react'
import { useLocation } from 'wouter'
import { excerptOf } from '../../contract/browser/excerpt'
import { withoutBidi } from '../../contract/browser/fold'
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
    for (const block of element.current!.querySelectorAll<HTMLElement>('li, blockquote, table')) setDirection(block)
    for (const link of element.current!.querySelectorAll('a')) noteAddress(link)
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

const MAX_ADDRESS = 120

/** The address of a link to another site, for paper, unless it is the text of the link. */
function noteAddress(link: HTMLAnchorElement) {
  const { href, origin, textContent } = link
  if (origin === location.origin || href === textContent || href === `${textContent}/`) return
  const address = href.replace(/^mailto:/, '')
  if (address !== textContent)
    link.dataset.address = address.length > MAX_ADDRESS ? `${address.slice(0, MAX_ADDRESS)}…` : address
}

/** Links, mentions and code count only where there is nothing else, as for the lines of a text (styles/base.css). */
const ISOLATED = 'a, code, span'
/** No more texts than this are looked at for a letter that is not in one of these. */
const MAX_TEXTS = 300
const STRONG = /[\p{L}\u200e\u200f\u061c]/u
const RIGHT_TO_LEFT =
  /[\u200f\u061c\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Samaritan}\p{Script=Mandaic}\p{Script=Adlam}\p{Script=Hanifi_Rohingya}]/u

/**
 * Sets the direction of a block by its first letter: bullets, bars and columns begin on that side. `dir="auto"` would ignore
 * the text of blocks within it that have a direction themselves.
 */
function setDirection(block: HTMLElement) {
  const texts = document.createTreeWalker(block, NodeFilter.SHOW_TEXT)
  let first: string | undefined
  for (let text = texts.nextNode(), at = 0; text && at < MAX_TEXTS; text = texts.nextNode(), at++) {
    const letter = STRONG.exec(text.nodeValue!)?.[0]
    if (letter === undefined) continue
    const isolated = text.parentElement!.closest(ISOLATED)
    if (isolated && block.contains(isolated)) {
      first ??= letter
      continue
    }
    first = letter
    break
  }
  if (first !== undefined) block.dir = RIGHT_TO_LEFT.test(first) ? 'rtl' : 'ltr'
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
