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

const WIDTH = 24
const INTERVAL_MS = 100
const PLAIN_INTERVAL_MS = 5_000

/** Shows progress: a line that is updated in a terminal, a new line every few seconds elsewhere. */
export function openProgress(what: string, total: number, out: NodeJS.WriteStream = process.stderr) {
  const started = performance.now()
  const every = out.isTTY ? INTERVAL_MS : PLAIN_INTERVAL_MS
  let shownAt = out.isTTY ? 0 : started

  return {
    report(done: number) {
      const now = performance.now()
      if (now - shownAt < every) return
      shownAt = now
      const line = lineOf(what, done, total, (now - started) / 1_000)
      out.write(out.isTTY ? `\r${line}\x1b[K` : `${line}\n`)
    },
    /** Removes the line. */
    end() {
      if (out.isTTY) out.write('\r\x1b[K')
    },
  }
}

function lineOf(what: string, done: number, total: number, seconds: number): string {
  const part = total > 0 ? Math.min(1, done / total) : 1
  const rate = done / seconds
  const filled = Math.round(part * WIDTH)
  const bar = '█'.repeat(filled) + '░'.repeat(WIDTH - filled)
  const left = rate > 0 ? duration((total - done) / rate) : '?'
  return `${bar} ${Math.floor(part * 100)} %  ${grouped(done)} of ${grouped(total)} ${what}  ${grouped(rate)}/s  ${left} left`
}

export const grouped = (number: number) => Math.round(number).toLocaleString('en')

function duration(seconds: number): string {
  const whole = Math.ceil(seconds)
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`
}

const UNITS = ['bytes', 'kB', 'MB', 'GB', 'TB']

/** Such as `12.3 MB in 4.5 s`. */
export const sizeAndTime = (bytes: number, seconds: number): string => `${size(bytes)} in ${seconds.toFixed(1)} s`

/** To the millisecond. */
export const secondsSince = (started: number): number => Math.round(performance.now() - started) / 1_000

function size(bytes: number): string {
  const unit = bytes < 1_000 ? 0 : Math.min(Math.floor(Math.log10(bytes) / 3), UNITS.length - 1)
  return `${(bytes / 1_000 ** unit).toFixed(unit === 0 ? 0 : 1)} ${UNITS[unit]}`
}
