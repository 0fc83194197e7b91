const WIDTH = 24
const EVERY_MS = 100
const PLAIN_EVERY_MS = 5_000

/** Tells how far a long piece of work is: one line that changes in a terminal, a line now and then elsewhere. */
export function openProgress(what: string, total: number, out: NodeJS.WriteStream = process.stderr) {
  const started = performance.now()
  const every = out.isTTY ? EVERY_MS : PLAIN_EVERY_MS
  let told = out.isTTY ? 0 : started

  return {
    tell(done: number) {
      const now = performance.now()
      if (now - told < every) return
      told = now
      const line = lineOf(what, done, total, (now - started) / 1_000)
      out.write(out.isTTY ? `\r${line}\x1b[K` : `${line}\n`)
    },
    /** Takes the line away again. */
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
