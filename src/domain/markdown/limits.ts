/**
 * What `Bun.markdown` does in more than linear time, while it reads a text: two things, neither of which people write.
 * A text beyond one of these bounds is shown as plain text.
 */
export const isTooComplex = (markdown: string): boolean =>
  scannedBackticks(markdown) > 1_000_000 || openContainers(markdown) > 20_000_000

/** After an escaped backtick, the rest of the run is looked for in all the text that follows. */
function scannedBackticks(markdown: string): number {
  const escaped = count(markdown, '\\`')
  return escaped === 0 ? 0 : escaped * count(markdown, '`')
}

/** Each line is compared with every open list and quotation; leading spaces and markers bound how deep those are. */
function openContainers(markdown: string): number {
  let lines = 1
  let lead = 0
  let deepest = 0
  let isLead = true
  for (let at = 0; at < markdown.length; at++) {
    const letter = markdown[at]!
    if (letter === '\n' || letter === '\r') {
      lines += 1
      lead = 0
      isLead = true
    } else if (isLead && LEAD.includes(letter)) {
      // A tab is as wide as two markers.
      lead += letter === '\t' ? 2 : 1
      if (lead > deepest) deepest = lead
    } else isLead = false
  }
  return deepest * lines
}

const LEAD = ' \t>-+*.)0123456789'

function count(text: string, part: string): number {
  let found = 0
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length)) found += 1
  return found
}
