export const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const
export type LogLevel = (typeof logLevels)[number]
type Fields = Record<string, unknown>

export interface Log {
  debug(message: string, fields?: Fields): void
  info(message: string, fields?: Fields): void
  warn(message: string, fields?: Fields): void
  error(message: string, fields?: Fields): void
  /** Whether lines of this level are written. */
  isEnabled(level: LogLevel): boolean
  /** Writes out what is buffered. */
  flush(): void
}

/** One line for each event: JSON for machines, words for people. Lines are written a batch at a time. */
export function openLog(options: { level: LogLevel; format: 'json' | 'text'; write?: (lines: string) => void }): Log {
  const write = options.write ?? ((lines: string) => process.stderr.write(lines))
  // Escape sequences are for terminals: elsewhere they would be in the way of `grep`. See https://no-color.org.
  const hasColors = process.stderr.isTTY && !process.env.NO_COLOR
  const format = options.format === 'json' ? asJson : hasColors ? asColoredText : asText
  const minimum = logLevels.indexOf(options.level)
  let lines = ''
  let waiting: Timer | undefined

  const flush = () => {
    clearTimeout(waiting)
    waiting = undefined
    if (lines) write(lines)
    lines = ''
  }
  const at = (level: Exclude<LogLevel, 'silent'>) =>
    logLevels.indexOf(level) < minimum
      ? () => {}
      : (message: string, fields: Fields = {}) => {
          lines += `${hideSecrets(format(level, message, fields))}\n`
          if (level === 'error') flush()
          else waiting ??= setTimeout(flush, 50)
        }
  const isEnabled = (level: LogLevel) => logLevels.indexOf(level) >= minimum
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error'), isEnabled, flush }
}

/** The text without the tokens, sign-in links and webhook secrets of Parley that someone may have put into it. */
export const hideSecrets = (text: string): string =>
  text.includes('parley_') || text.includes('whsec_')
    ? text.replace(/(parley_)[\w-]{16,}|(whsec_)[\w+/=-]{16,}/g, '$1$2***')
    : text

const asJson = (level: string, message: string, fields: Fields) =>
  `{"time":"${new Date().toISOString()}","level":"${level}","message":${JSON.stringify(message)}${rest(fields)}`

const rest = (fields: Fields) => {
  const text = JSON.stringify(fields)
  return text === '{}' ? '}' : `,${text.slice(1)}`
}

function asText(_level: string, message: string, fields: Fields): string {
  const { time, text, rest } = partsOf(message, fields)
  return [time, text, rest].filter(Boolean).join(' ')
}

const COLORS: Record<string, string> = { debug: '\x1b[2m', info: '', warn: '\x1b[33m', error: '\x1b[31m' }

function asColoredText(level: string, message: string, fields: Fields): string {
  const { time, text, rest } = partsOf(message, fields)
  return `\x1b[2m${time}\x1b[0m ${COLORS[level]}${text}\x1b[0m \x1b[2m${rest}\x1b[0m`
}

function partsOf(message: string, fields: Fields) {
  const rest = Object.entries(fields).map(
    ([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  )
  return { time: new Date().toTimeString().slice(0, 8), text: oneLine(message), rest: oneLine(rest.join(' ')) }
}

/** Escapes control characters, so that text from a request cannot add lines or colours to the log. */
const oneLine = (text: string) =>
  text.replace(/[\x00-\x1f\x7f-\x9f]/g, (control) =>
    control < ' ' ? JSON.stringify(control).slice(1, -1) : `\\u00${control.charCodeAt(0).toString(16)}`,
  )
