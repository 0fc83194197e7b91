import { CHECK_BOXES, checkBoxHtml } from '../../contract/browser/constants'
import { plainText } from '../search/document'
import { parse } from './parse'
import { walk } from './tree'

/** The text of an item ends at the end of the item, or where another block begins in it. */
const ITEM_END = /<\/?(?:p|li|ul|ol|blockquote|pre|table|figure|h\d|hr)\b/
/** A marker in Markdown that may be a check box. */
const MARKER = /\[[ xX]\](?=\s|$)/g
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
 * knows which markers are check boxes: it parses the text with each marker's position written after it, and the result again, to
 * verify that exactly this one has changed. Twice, however many there are.
 */
export function toggleCheckBox(markdown: string, item: number, isChecked: boolean): string | undefined {
  const boxes = findBoxes(markdown.replace(MARKER, (marker, at: number) => `${marker} ${NUMBER}${at}${NUMBER}`))
  const box = boxes[item]
  if (box?.at === undefined) return undefined
  if (box.isChecked === isChecked) return markdown

  const changed = `${markdown.slice(0, box.at + 1)}${isChecked ? 'x' : ' '}${markdown.slice(box.at + 2)}`
  const after = boxes.map((each) => each.isChecked).with(item, isChecked)
  const isVerified = Bun.deepEquals(
    findBoxes(changed).map((each) => each.isChecked),
    after,
  )
  return isVerified ? changed : undefined
}

/** Stands around the position of a marker. No text has a use for this character. */
const NUMBER = '\ufdd3'
const POSITION = new RegExp(`^\\s*${NUMBER}(\\d+)${NUMBER}`)

/** The check boxes of a text. `at` is what is written after one as its position. */
function findBoxes(markdown: string): { isChecked: boolean; at: number | undefined }[] {
  const boxes: { isChecked: boolean; at: number | undefined }[] = []
  let isFirst = false
  walk(parse(markdown), {
    enter: () => false,
    leave: () => false,
    leaf: (node) => {
      if (typeof node === 'object' && node.type === 'checkbox') {
        boxes.push({ isChecked: node.isChecked, at: undefined })
        isFirst = true
      } else if (isFirst && typeof node === 'string' && node.trim() !== '') {
        const position = POSITION.exec(node)?.[1]
        boxes.at(-1)!.at = position === undefined ? undefined : Number(position)
        isFirst = false
      }
    },
  })
  return boxes
}
