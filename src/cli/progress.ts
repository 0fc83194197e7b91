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
  const part = total > 0 ? done / total : 1
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
