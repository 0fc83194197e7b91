/** Replaces a range of the text in a way that Undo can revert. */
export function replaceRange(area: HTMLTextAreaElement, start: number, end: number, text: string) {
  area.focus()
  area.setSelectionRange(start, end)
  // Deprecated, but the only way that keeps the browser's undo history.
  if (text ? document.execCommand('insertText', false, text) : document.execCommand('delete')) return
  area.setRangeText(text, start, end, 'end')
  area.dispatchEvent(new Event('input', { bubbles: true }))
}

/** Inserts a text while the member may be typing elsewhere. The focus stays where it is, and the selection stays at the same words. */
export function insertInBackground(area: HTMLTextAreaElement, at: number, text: string) {
  const shift = (position: number) => (position >= at ? position + text.length : position)
  const [start, end] = [shift(area.selectionStart), shift(area.selectionEnd)]
  if (document.activeElement === area) replaceRange(area, at, at, text)
  else {
    area.setRangeText(text, at, at)
    area.dispatchEvent(new Event('input', { bubbles: true }))
  }
  area.setSelectionRange(start, end)
}

/** Adds a marker around the selection, or removes it. */
export function toggleMark(area: HTMLTextAreaElement, marker: string) {
  const [start, end] = trimSelection(area)
  const { value } = area
  const chosen = value.slice(start, end)
  const { length } = marker
  if (value.slice(0, start).endsWith(marker) && value.slice(end).startsWith(marker))
    replaceAndSelect(area, [start - length, end + length], chosen, [0, chosen.length])
  else if (chosen.length >= 2 * length && chosen.startsWith(marker) && chosen.endsWith(marker))
    replaceAndSelect(area, [start, end], chosen.slice(length, -length), [0, chosen.length - 2 * length])
  else replaceAndSelect(area, [start, end], marker + chosen + marker, [length, length + chosen.length])
}

/** The selection without the spaces around it, which markers must not touch. */
function trimSelection({ selectionStart: start, selectionEnd: end, value }: HTMLTextAreaElement): [number, number] {
  const chosen = value.slice(start, end)
  if (chosen.trim() === '') return [start, end]
  return [end - chosen.trimStart().length, start + chosen.trimEnd().length]
}

/** Replaces a range, and selects a range of what replaced it. */
function replaceAndSelect(
  area: HTMLTextAreaElement,
  [start, end]: [number, number],
  text: string,
  [from, to]: [number, number],
) {
  replaceRange(area, start, end, text)
  area.setSelectionRange(start + from, start + to)
}

/** Marks the selection as code, or no longer: a span, or a block if it has several lines. */
export function toggleCode(area: HTMLTextAreaElement) {
  const { selectionStart: start, selectionEnd: end, value } = area
  const chosen = value.slice(start, end)
  const isFenced = value.slice(0, start).endsWith('```\n') && value.slice(end).startsWith('\n```')
  if (!isFenced && !chosen.includes('\n')) return toggleMark(area, '`')
  if (isFenced) return replaceAndSelect(area, [start - 4, end + 4], chosen, [0, chosen.length])
  const before = start === 0 || value[start - 1] === '\n' ? '' : '\n'
  const after = end === value.length || value[end] === '\n' ? '' : '\n'
  const text = chosen.replace(/\n$/, '')
  const open = `${before}\`\`\`\n`
  replaceAndSelect(area, [start, end], `${open}${text}\n\`\`\`${after}`, [open.length, open.length + text.length])
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

/** Inserts a text at the caret that something else is completed from, such as `@`. It must start a word. */
export function insertTrigger(area: HTMLTextAreaElement, trigger: string) {
  const { selectionStart: start, selectionEnd: end, value } = area
  replaceRange(area, start, end, start === 0 || /\s$/.test(value.slice(0, start)) ? trigger : ` ${trigger}`)
}
