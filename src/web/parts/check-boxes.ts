import { CHECK_BOXES, checkBoxHtml } from '../../contract/browser/constants'

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

/** Names the check boxes of a text, and enables them for those who may change it. */
export function prepareCheckBoxes(content: HTMLElement, canCheck: boolean) {
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
export function changeCheckBoxes(content: HTMLElement, before: string | undefined, html: string): boolean {
  if (before === undefined || withoutChecks(before) !== withoutChecks(html)) return false
  const checks = [...html.matchAll(CHECK_BOXES)].map(([, checked]) => checked !== undefined)
  const boxes = findBoxes(content)
  if (boxes.length !== checks.length) return false
  for (const [at, box] of boxes.entries()) box.checked = checks[at]!
  return true
}

/** Replaces the text, and keeps the focus on the same check box. */
export function keepFocusedBox(content: HTMLElement, replace: () => void) {
  const focused = findBoxes(content).indexOf(document.activeElement as HTMLInputElement)
  replace()
  if (focused >= 0) findBoxes(content)[focused]?.focus()
}

/** Which check box was changed, and to what. */
export function readCheck(content: HTMLElement, box: HTMLInputElement) {
  const { text, isExact } = getLabel(box)
  return { item: findBoxes(content).indexOf(box), is_checked: box.checked, ...(isExact && { label: text }) }
}
