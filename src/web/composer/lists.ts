import { replaceRange } from './editing'

const ITEM = /^(\s*)([-*+]|\d{1,9}[.)]) (\[[ xX]\] )?/
const MARKERS = { list: '- ', checklist: '- [ ] ' }

/** Enter in a list starts the next item; on an empty item it ends the list, and the text goes on below a blank line. */
export function continueList(area: HTMLTextAreaElement): boolean {
  const { selectionStart: at, selectionEnd, value } = area
  if (at !== selectionEnd) return false
  const lineStart = value.lastIndexOf('\n', at - 1) + 1
  const [prefix, indent, marker, task = ''] = value.slice(lineStart, at).match(ITEM) ?? []
  if (prefix === undefined) return false
  if (lineStart + prefix.length === at) replaceRange(area, lineStart, at, lineStart === 0 ? '' : '\n')
  else replaceRange(area, at, at, `\n${indent}${nextMarker(marker!)} ${task && '[ ] '}`)
  return true
}

const nextMarker = (marker: string) => marker.replace(/^\d+/, (number) => String(Number(number) + 1))

/** Makes the selected lines items of a list, or plain lines again if all of them are. */
export function toggleList(area: HTMLTextAreaElement, kind: keyof typeof MARKERS) {
  const { selectionStart, selectionEnd, value } = area
  const start = value.lastIndexOf('\n', selectionStart - 1) + 1
  const lineEnd = value.indexOf('\n', Math.max(start, selectionEnd))
  const end = lineEnd < 0 ? value.length : lineEnd
  const lines = value.slice(start, end).split('\n')
  const isWanted = (line: string) => {
    const item = line.match(ITEM)
    return item !== null && (item[3] !== undefined) === (kind === 'checklist')
  }
  const written = lines.filter((line) => line.trim() !== '')
  const isOn = written.length > 0 && written.every(isWanted)
  const change = (line: string) => {
    if (line.trim() === '' && lines.length > 1) return line
    const indent = line.match(/^\s*/)![0]
    const text = line.replace(ITEM, '').slice(ITEM.test(line) ? 0 : indent.length)
    return isOn ? indent + text : indent + MARKERS[kind] + text
  }
  const text = lines.map(change).join('\n')
  replaceRange(area, start, end, text)
  const isSelected = selectionStart !== selectionEnd
  const caret = start + Math.max(0, selectionEnd - start + text.length - (end - start))
  area.setSelectionRange(isSelected ? start : caret, isSelected ? start + text.length : caret)
}
