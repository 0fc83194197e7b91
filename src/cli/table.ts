const GAP = '  '

/** Formats rows in aligned columns. */
export function formatTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, ...rows].map((row) => row.map(escapeControls))
  const widths = head.map((_, at) => Math.max(...lines.map((line) => Bun.stringWidth(line[at]!))))
  const padded = (cell: string, at: number) => cell + ' '.repeat(widths[at]! - Bun.stringWidth(cell))
  return lines.map((line) => line.map(padded).join(GAP).trimEnd()).join('\n')
}

/** Escapes characters that move the cursor, change colours or change the direction of text. */
const escapeControls = (text: string) =>
  text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`)

/** The date of a time, or a dash. */
export const formatDay = (time: number | null) => (time === null ? '-' : new Date(time).toISOString().slice(0, 10))

export const json = { type: 'boolean', help: 'Print JSON instead of a table.' } as const
