import { CHECK_BOXES, checkBoxHtml } from '../../contract/check-boxes'
import { plainText } from '../search/plain-text'
import { parse } from './parse'
import { walk } from './tree'

/** The text of an item ends at the end of the item, or where another block begins in it. */
const ITEM_END = /<\/?(?:p|li|ul|ol|blockquote|pre|table|figure|h\d|hr)\b/
/** A marker in Markdown that may be a check box. */
const MARKER = /\[[ xX]\](?=\s|$)/g
/** The same at the beginning of a list item, where nearly all check boxes are. */
const LIKELY_MARKER = /^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)+(\[[ xX]\])(?=\s|$)/gm

export interface CheckBox {
  isChecked: boolean
  /** The text of its item on one line, without the items below it. */
  label: string
}

/** Finds a check box in rendered Markdown by its number, counted from 0. */
export function findCheckBox(html: string, item: number): CheckBox | undefined {
  const match = boxAt(html, item)
  if (!match) return undefined
  const rest = html.slice(match.index + match[0].length)
  const end = ITEM_END.exec(rest)?.index
  return { isChecked: match[1] !== undefined, label: toLabel(plainText(rest.slice(0, end))) }
}

/** Normalizes a label, to compare it. */
export const toLabel = (text: string): string => text.replace(/\s+/g, ' ').trim()

function boxAt(html: string, item: number): RegExpExecArray | undefined {
  let at = 0
  for (const match of html.matchAll(CHECK_BOXES)) if (at++ === item) return match as RegExpExecArray
  return undefined
}

/** Checks or unchecks one check box in rendered Markdown. */
export function toggleRenderedCheckBox(html: string, item: number, isChecked: boolean): string | undefined {
  const box = boxAt(html, item)
  if (!box) return undefined
  return html.slice(0, box.index) + checkBoxHtml(isChecked) + html.slice(box.index + box[0].length)
}

/**
 * Checks or unchecks one check box in Markdown, counted from 0. Returns undefined if there is no such check box. Only the parser
 * knows which markers are check boxes, so the result is parsed again to verify that exactly this one has changed.
 */
export function toggleCheckBox(markdown: string, item: number, isChecked: boolean): string | undefined {
  const before = statesOf(markdown)
  if (item >= before.length) return undefined
  if (before[item] === isChecked) return markdown

  const after = before.with(item, isChecked)
  for (const find of [findLikelyMarker, findMarkerByHalving]) {
    const at = find(markdown, item)
    const changed = at === undefined ? undefined : setMarker(markdown, at, isChecked)
    if (changed !== undefined && Bun.deepEquals(statesOf(changed), after)) return changed
  }
  return undefined
}

/** A guess, which is wrong if a code block looks like a list, for example. If it is right, a long text is not parsed a dozen times. */
function findLikelyMarker(markdown: string, item: number): number | undefined {
  let at = 0
  for (const match of markdown.matchAll(LIKELY_MARKER))
    if (at++ === item) return match.index + match[0].length - match[1]!.length
  return undefined
}

/** A binary search: if the first half of the markers is checked and the check box is checked, its marker is in that half. */
function findMarkerByHalving(markdown: string, item: number): number | undefined {
  const markers = [...markdown.matchAll(MARKER)].map(({ index }) => index)
  let least = 1
  let most = markers.length
  while (least < most) {
    const middle = (least + most) >> 1
    if (statesOf(checkFirst(markdown, markers, middle))[item]) most = middle
    else least = middle + 1
  }
  return markers[least - 1]
}

const setMarker = (markdown: string, at: number, isChecked: boolean) =>
  `${markdown.slice(0, at + 1)}${isChecked ? 'x' : ' '}${markdown.slice(at + 2)}`

function checkFirst(markdown: string, markers: readonly number[], count: number): string {
  let checked = ''
  let done = 0
  for (const [position, at] of markers.entries()) {
    checked += markdown.slice(done, at + 1) + (position < count ? 'x' : ' ')
    done = at + 2
  }
  return checked + markdown.slice(done)
}

function statesOf(markdown: string): boolean[] {
  const states: boolean[] = []
  walk(parse(markdown), {
    enter: () => false,
    leave: () => false,
    leaf: (node) => {
      if (typeof node === 'object' && node.type === 'checkbox') states.push(node.isChecked)
    },
  })
  return states
}
