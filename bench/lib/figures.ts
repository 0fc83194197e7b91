/** The middle of several figures, and how far they lie apart. */
export interface Figure {
  median: number
  /** Half of the distance between the lowest and the highest, as a part of the median. */
  spread: number
}

export function summarize(values: readonly number[]): Figure {
  const sorted = [...values].sort((a, b) => a - b)
  const median = (sorted[Math.floor((sorted.length - 1) / 2)]! + sorted[Math.floor(sorted.length / 2)]!) / 2
  return { median, spread: (sorted.at(-1)! - sorted[0]!) / 2 / median }
}

export const grouped = (number: number) => Math.round(number).toLocaleString('en')
export const shown = ({ median, spread }: Figure) => `${grouped(median)} ± ${Math.round(spread * 100)} %`

/** A Markdown table. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, at) => Math.max(title.length, ...rows.map((row) => row[at]!.length)))
  const line = (cells: readonly string[]) => `| ${cells.map((cell, at) => cell.padEnd(widths[at]!)).join(' | ')} |`
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n')
}

/** The value of `--name`, or what holds without it. */
export function option(name: string, fallback: number): number {
  const at = process.argv.indexOf(`--${name}`)
  return at < 0 ? fallback : Number(process.argv[at + 1])
}

export const flag = (name: string) => process.argv.includes(`--${name}`)
