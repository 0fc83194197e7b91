import { type MouseEvent, useEffect, useLayoutEffect, useRef } from 'react'
import { useLocation } from 'wouter'
import { CHECK_BOXES, checkBoxHtml } from '../../contract/browser/constants'
import { isFileUrl, paths } from '../paths'
import { enhanceCodeBlocks } from './code-blocks'
import { getFileIcon } from './file-kind'
import { createIcon } from './icon'
import { useOpenImage } from './open-image'
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

const MISSING = 'This file is no longer available'

/** Prepares the files in a text: pictures keep their proportions while they load, cards get icons, and missing files get a message. */
function enhanceFiles(content: HTMLElement) {
  for (const media of content.querySelectorAll<HTMLElement>('.file-image img, .file-video video')) reserveSpace(media)
  for (const image of content.querySelectorAll<HTMLImageElement>('.file-image a'))
    image.setAttribute('aria-label', `Open image${describe(image)}`)
  for (const link of content.querySelectorAll('.file-card > a'))
    link.prepend(createIcon(getFileIcon(link.querySelector('.file-name')?.textContent ?? '')))
  for (const media of content.querySelectorAll('[data-file] :is(img, video, audio)'))
    media.addEventListener('error', () => replaceByNote(media), { once: true })
}

function describe(link: Element): string {
  const alt = link.querySelector('img')?.alt
  return alt ? `: ${alt}` : ''
}

/** Limits the width of a picture so that it is not higher than allowed, before it is loaded. */
function reserveSpace(media: HTMLElement) {
  const [width, height] = [Number(media.getAttribute('width')), Number(media.getAttribute('height'))]
  if (!width || !height) return
  media.style.setProperty('--width', String(width))
  media.style.setProperty('--ratio', String(width / height))
}

/** A file that was deleted, or that a reader may no longer see. */
function replaceByNote(media: Element) {
  const note = document.createElement('p')
  note.className = 'file-missing'
  note.textContent = MISSING
  media.closest('[data-file]')?.replaceWith(note)
}

const isProxied = () => document.documentElement.hasAttribute('data-image-proxy')

/** Loads images from other servers through this one, if that is turned on. Must run before the HTML is in the page, because images load at once. */
const proxyImages = (html: string): string => (isProxied() ? rewriteImages(html) : html)

/** The server always writes `src` first, and escapes its value. */
const rewriteImages = (html: string): string =>
  html.replace(/<img src="(https?:[^"]*)(?=")/g, (_, url: string) => `<img src="${paths.image(unescapeUrl(url))}`)

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" }

const unescapeUrl = (url: string) => url.replace(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => ENTITIES[name]!)

/** The text of an item ends where another block begins below it. */
const ITEM_END = 'p, li, ul, ol, blockquote, pre, table, figure, h1, h2, h3, h4, h5, h6, hr'

const findBoxes = (content: HTMLElement) => [...content.querySelectorAll<HTMLInputElement>('input[type=checkbox]')]

/** The text of an item on one line. It is not exact if the item has images or files, because only the server knows their text. */
function getLabel(box: HTMLInputElement): { text: string; isExact: boolean } {
  let text = ''
  let isExact = true
  for (let node = box.nextSibling; node; node = node.nextSibling) {
    if (node instanceof Element) {
      if (node.matches(ITEM_END)) break
      if (node.matches('br')) text += ' '
      if (node.matches('img, [data-name]') || node.querySelector('img, [data-name], br')) isExact = false
    }
    text += node.textContent
  }
  return { text: text.replace(/\s+/g, ' ').trim(), isExact }
}

/** Names the check boxes of a text, and enables them for viewers who may change it. */
function prepareCheckBoxes(content: HTMLElement, canCheck: boolean) {
  for (const box of findBoxes(content)) {
    box.setAttribute('aria-label', getLabel(box).text || 'Task')
    box.disabled = !canCheck
  }
}

const withoutChecks = (html: string) => html.replace(CHECK_BOXES, checkBoxHtml(false))

/**
 * If two texts differ only in their check boxes, checks the boxes in place and returns true. Replacing the whole text would
 * interrupt a click or key press, and stop a video that is playing.
 */
function changeCheckBoxes(content: HTMLElement, before: string | undefined, html: string): boolean {
  if (before === undefined || withoutChecks(before) !== withoutChecks(html)) return false
  const checks = [...html.matchAll(CHECK_BOXES)].map(([, checked]) => checked !== undefined)
  const boxes = findBoxes(content)
  if (boxes.length !== checks.length) return false
  for (const [at, box] of boxes.entries()) box.checked = checks[at]!
  return true
}

/** Replaces the text, and keeps the focus on the same check box. */
function keepFocusedBox(content: HTMLElement, replace: () => void) {
  const focused = findBoxes(content).indexOf(document.activeElement as HTMLInputElement)
  replace()
  if (focused >= 0) findBoxes(content)[focused]?.focus()
}

/** Which check box was changed, and to what. */
function readCheck(content: HTMLElement, box: HTMLInputElement) {
  const { text, isExact } = getLabel(box)
  return { item: findBoxes(content).indexOf(box), is_checked: box.checked, ...(isExact && { label: text }) }
}
