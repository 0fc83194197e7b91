type Range = [start: number, end: number]

const FENCE = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/
const LIST_ITEM = /^ {0,3}(?:[-*+]|\d{1,9}[.)]) /

/** Where code is in Markdown: fenced and indented blocks, and spans. Mentions and emoji names in it are just text. */
export function findCode(markdown: string): Range[] {
  const ranges: Range[] = []
  let text: Range = [0, 0]
  let fence: { marker: string; start: number } | undefined
  let isAfterBlank = true
  let isInList = false
  const endText = (at: number, next: number) => {
    ranges.push(...findSpans(markdown, [text[0], at]))
    text = [next, next]
  }
  for (const [line, start] of splitLines(markdown)) {
    const end = start + line.length
    const isBlank = line.trim() === ''
    if (fence) {
      const marker = line.match(/^ {0,3}(`{3,}|~{3,})\s*$/)?.[1]
      if (!marker?.startsWith(fence.marker)) continue
      ranges.push([fence.start, end])
      fence = undefined
      text = [end, end]
    } else if (FENCE.test(line)) {
      endText(start, end)
      fence = { marker: line.match(FENCE)![1]!, start }
    } else if (isAfterBlank && !isBlank && !isInList && /^( {4}|\t)/.test(line)) {
      endText(start, end)
      ranges.push([start, end])
      continue // The next line of the block needs no blank line before it.
    } else if (!isBlank && !line.startsWith(' ')) isInList = LIST_ITEM.test(line)
    isAfterBlank = isBlank
  }
  if (fence) ranges.push([fence.start, markdown.length])
  else endText(markdown.length, markdown.length)
  return ranges
}

function* splitLines(text: string): Generator<[line: string, start: number]> {
  let start = 0
  for (const line of text.split('\n')) {
    yield [line, start]
    start += line.length + 1
  }
}

/** Spans of code: as many backticks at the end as at the start, within a paragraph. */
const findSpans = (markdown: string, [start, end]: Range): Range[] =>
  [...markdown.slice(start, end).matchAll(/(?<!`)(`+)(?!`)(?:(?!\n\s*\n)[\s\S])*?(?<!`)\1(?!`)/g)].map((match) => [
    start + match.index,
    start + match.index + match[0].length,
  ])

/** Changes the text that is not code. */
export function mapOutsideCode(markdown: string, change: (part: string) => string): string {
  let result = ''
  let done = 0
  for (const [start, end] of findCode(markdown)) {
    result += change(markdown.slice(done, start)) + markdown.slice(start, end)
    done = end
  }
  return result + change(markdown.slice(done))
}

/** Whether what is typed at a position is code: also in a span that is not closed yet. */
export function isInCode(markdown: string, at: number): boolean {
  const before = markdown.slice(0, at)
  const [start, end] = findCode(`${before}x`).at(-1) ?? [0, 0]
  if (start < at && at < end) return true
  return before.slice(Math.max(end, before.lastIndexOf('\n') + 1)).includes('`')
}
