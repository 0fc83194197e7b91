/** Replaces a range of the text in a way that Undo can revert. */
export function replaceRange(area: HTMLTextAreaElement, start: number, end: number, text: string) {
  area.focus()
  area.setSelectionRange(start, end)
  // Deprecated, but the only way that keeps the browser's undo history.
  if (document.execCommand('insertText', false, text)) return
  area.setRangeText(text, start, end, 'end')
  area.dispatchEvent(new Event('input', { bubbles: true }))
}

/** Adds a marker around the selection, or removes it. */
export function toggleMark(area: HTMLTextAreaElement, marker: string) {
  const { selectionStart: start, selectionEnd: end, value } = area
  const isMarked = value.slice(0, start).endsWith(marker) && value.slice(end).startsWith(marker)
  const [from, to] = isMarked ? [start - marker.length, end + marker.length] : [start, end]
  const text = value.slice(start, end)
  replaceRange(area, from, to, isMarked ? text : marker + text + marker)
  const begin = isMarked ? from : start + marker.length
  area.setSelectionRange(begin, begin + text.length)
}

const isUrl = (text: string) => /^https?:\/\/\S+$/.test(text)

/** Turns the selection into a link, and selects the missing text or URL. */
export function insertLink(area: HTMLTextAreaElement, pastedUrl?: string) {
  const { selectionStart: start, selectionEnd: end, value } = area
  const chosen = value.slice(start, end)
  const [text, url] = pastedUrl || !isUrl(chosen) ? [chosen, pastedUrl ?? ''] : ['', chosen]
  replaceRange(area, start, end, `[${text}](${url})`)
  if (!text) area.setSelectionRange(start + 1, start + 1)
  else if (!url) area.setSelectionRange(start + text.length + 3, start + text.length + 3)
}

/** A URL pasted on selected text turns the text into a link. */
export function pasteLink(area: HTMLTextAreaElement, pasted: string): boolean {
  const chosen = area.value.slice(area.selectionStart, area.selectionEnd)
  if (!isUrl(pasted.trim()) || !chosen.trim() || chosen.includes('\n') || isUrl(chosen)) return false
  insertLink(area, pasted.trim())
  return true
}

/** Enter in a list starts the next item; on an empty item it ends the list. */
export function continueList(area: HTMLTextAreaElement): boolean {
  const { selectionStart: at, selectionEnd, value } = area
  if (at !== selectionEnd) return false
  const lineStart = value.lastIndexOf('\n', at - 1) + 1
  const [prefix, indent, marker, task = ''] =
    value.slice(lineStart, at).match(/^(\s*)([-*+]|\d{1,9}[.)]) (\[[ x]\] )?/) ?? []
  if (prefix === undefined) return false
  if (lineStart + prefix.length === at) replaceRange(area, lineStart, at, '')
  else replaceRange(area, at, at, `\n${indent}${nextMarker(marker!)} ${task && '[ ] '}`)
  return true
}

const nextMarker = (marker: string) => marker.replace(/^\d+/, (number) => String(Number(number) + 1))
