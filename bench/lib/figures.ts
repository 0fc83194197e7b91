export interface Summary {
  median: number
  /** Half of the distance between lowest and highest, as a share of the median. */
  spread: number
}

export function summarize(values: readonly number[]): Summary {
  const sorted = [...values].sort((a, b) => a - b)
  const median = (sorted[Math.floor((sorted.length - 1) / 2)]! + sorted[Math.floor(sorted.length / 2)]!) / 2
  return { median, spread: (sorted.at(-1)! - sorted[0]!) / 2 / median }
}

export const median = (values: readonly number[]) => summarize(values).median

/** The value that this share of all values does not exceed. */
export const percentile = (values: readonly number[], share: number) =>
  values.toSorted((a, b) => a - b)[Math.ceil(values.length * share) - 1]!

export const grouped = (number: number) => Math.round(number).toLocaleString('en')
export const micros = (microseconds: number) => `${grouped(microseconds)} µs`
export const megabytes = (bytes: number) => `${grouped(bytes / 1e6)} MB`

/** A paragraph of Markdown, wrapped like the other documents. */
export const paragraph = (text: string, indent = ''): string =>
  Bun.wrapAnsi(text.replaceAll('\n', ' '), 100 - indent.length).replaceAll('\n', `\n${indent}`)

/** A Markdown table. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, at) => Math.max(title.length, ...rows.map((row) => row[at]!.length)))
  const line = (cells: readonly string[]) => `| ${cells.map((cell, at) => cell.padEnd(widths[at]!)).join(' | ')} |`
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n')
}

/** The same items in an order that looks random and is the same in every run. */
export function shuffle<T>(items: readonly T[]): T[] {
  const result = [...items]
  let state = 1
  for (let at = result.length - 1; at > 0; at--) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    const other = Math.floor((state / 0x1_0000_0000) * (at + 1))
    ;[result[at], result[other]] = [result[other]!, result[at]!]
  }
  return result
}

/** At most `count` of the items, evenly spaced. */
export function sample<T>(items: readonly T[], count: number): T[] {
  if (items.length <= count) return [...items]
  return Array.from({ length: count }, (_, at) => items[Math.floor((at * items.length) / count)]!)
}
