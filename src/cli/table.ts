const GAP = '  '

/** Lines of aligned columns, under a head. */
export function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, ...rows].map((row) => row.map(harmless))
  const widths = head.map((_, at) => Math.max(...lines.map((line) => Bun.stringWidth(line[at]!))))
  const padded = (cell: string, at: number) => cell + ' '.repeat(widths[at]! - Bun.stringWidth(cell))
  return lines.map((line) => line.map(padded).join(GAP).trimEnd()).join('\n')
}

/** What people wrote, without what moves the cursor, changes colours or turns the direction of text. */
const harmless = (text: string) =>
  text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (letter) => `\\u{${letter.codePointAt(0)!.toString(16)}}`)

/** A day, or a dash where there is none. */
export const dayOf = (time: number | null) => (time === null ? '-' : new Date(time).toISOString().slice(0, 10))

export const json = { type: 'boolean', help: 'Print JSON instead of a table.' } as const
