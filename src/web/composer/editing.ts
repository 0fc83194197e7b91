/** Puts text in place of a range, as if it was typed: undo takes it back. */
export function replace(area: HTMLTextAreaElement, start: number, end: number, text: string) {
  area.focus()
  area.setSelectionRange(start, end)
  // Old, and the only way that keeps the browser's undo.
  if (document.execCommand('insertText', false, text)) return
  area.setRangeText(text, start, end, 'end')
  area.dispatchEvent(new Event('input', { bubbles: true }))
}

/** Puts marks around what is selected, or takes them away where they are. */
export function mark(area: HTMLTextAreaElement, sign: string) {
  const { selectionStart: start, selectionEnd: end, value } = area
  const isMarked = value.slice(0, start).endsWith(sign) && value.slice(end).startsWith(sign)
  const [from, to] = isMarked ? [start - sign.length, end + sign.length] : [start, end]
  const text = value.slice(start, end)
  replace(area, from, to, isMarked ? text : sign + text + sign)
  const begin = isMarked ? from : start + sign.length
  area.setSelectionRange(begin, begin + text.length)
}

const isUrl = (text: string) => /^https?:\/\/\S+$/.test(text)

/** Makes a link of what is selected. What is missing, its text or its address, is selected next. */
export function link(area: HTMLTextAreaElement, address?: string) {
  const { selectionStart: start, selectionEnd: end, value } = area
  const chosen = value.slice(start, end)
  const [text, url] = address || !isUrl(chosen) ? [chosen, address ?? ''] : ['', chosen]
  replace(area, start, end, `[${text}](${url})`)
  if (!text) area.setSelectionRange(start + 1, start + 1)
  else if (!url) area.setSelectionRange(start + text.length + 3, start + text.length + 3)
}

/** An address that is pasted on words makes them a link. */
export function pasteLink(area: HTMLTextAreaElement, pasted: string): boolean {
  const chosen = area.value.slice(area.selectionStart, area.selectionEnd)
  if (!isUrl(pasted.trim()) || !chosen.trim() || chosen.includes('\n') || isUrl(chosen)) return false
  link(area, pasted.trim())
  return true
}

/** A new line in a list begins with its sign; on an empty point it ends the list. */
export function continueList(area: HTMLTextAreaElement): boolean {
  const { selectionStart: at, selectionEnd, value } = area
  if (at !== selectionEnd) return false
  const lineStart = value.lastIndexOf('\n', at - 1) + 1
  const [sign, indent, point, task = ''] =
    value.slice(lineStart, at).match(/^(\s*)([-*+]|\d{1,9}[.)]) (\[[ x]\] )?/) ?? []
  if (sign === undefined) return false
  if (lineStart + sign.length === at) replace(area, lineStart, at, '')
  else replace(area, at, at, `\n${indent}${nextPoint(point!)} ${task && '[ ] '}`)
  return true
}

const nextPoint = (point: string) => point.replace(/^\d+/, (number) => String(Number(number) + 1))
