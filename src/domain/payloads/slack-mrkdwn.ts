import { escapeMarkdown, escapeStart } from '../markdown/attributes'
import { isAddress, toCode, toFence, toLink } from './values'

/** Slack's mrkdwn as Markdown. What is Markdown but not mrkdwn is shown as it was written. In linear time. */
export function fromMrkdwn(text: string): string {
  const parts = text.replace(/\r\n?/g, '\n').split('```')
  // A fence that is never closed is text.
  if (parts.length % 2 === 0) parts.push(parts.splice(-2).join('```'))
  const texts = parts.map((part, at) => (at % 2 === 0 ? fromLines(part) : toFence(plainOf(part))))
  return texts.filter((part) => part !== '').join('\n\n')
}

/** Plain text as Markdown, with its `:codes:` as emoji. */
export const fromPlain = (text: string): string =>
  withEmoji(text)
    .replace(/\r\n?/g, '\n')
    .split('\n')
    .map((line) => escapeStart(escapeMarkdown(line)))
    .join('\n')
    .trim()

/** One line of mrkdwn: what stands in a title or a cell. */
export const fromMrkdwnLine = (text: string): string => inline(text.replace(/\s+/g, ' ').trim())

/** Text without links and entities, as code shows it. Other angle brackets are code, as in `List<int>`. */
export const plainOf = (text: string) =>
  decode(
    text.replace(/<([^<>\n|]{1,3000})(?:\|([^<>\n]{1,3000}))?>/g, (written, target, label) =>
      /^[@#!]/.test(target) || isAddress(target) ? (label ?? target) : written,
    ),
  )

const decode = (text: string) => text.replace(/&(amp|lt|gt);/g, (_, name) => ENTITIES[name]!)
const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>' }

type LineKind = 'text' | 'list' | 'quote' | 'blank'

/** Lines of different kinds are kept apart: in Markdown, a line after a list or a quotation would belong to it. */
function fromLines(text: string): string {
  let before: LineKind = 'blank'
  let isQuoted = false
  const lines: string[] = []
  for (const line of text.trim().split('\n')) {
    const quoted = line.match(/^(?:&gt;|>){3}\s?(.*)$/)
    isQuoted ||= quoted !== null
    const [kind, converted] = isQuoted
      ? (['quote', `> ${escapeStart(inline(quoted?.[1] ?? line))}`] as const)
      : fromLine(line)
    if (before !== 'blank' && kind !== 'blank' && kind !== before) lines.push('')
    lines.push(converted)
    before = kind
  }
  return lines.join('\n')
}

function fromLine(line: string): readonly [LineKind, string] {
  if (line.trim() === '') return ['blank', '']
  const quote = line.match(/^(?:&gt;|>)\s?(.*)$/)
  if (quote) return ['quote', `> ${escapeStart(inline(quote[1]!))}`]
  const item = line.match(/^(\s*)([•◦▪‣*-]|\d{1,4}[.)])\s+(\S.*)$/)
  if (!item) return ['text', escapeStart(inline(line))]
  const [, indent, mark, rest] = item as unknown as [string, string, string, string]
  const depth = mark === '◦' || indent.length >= 2 ? '    ' : ''
  return ['list', `${depth}${/\d/.test(mark) ? mark : '-'} ${escapeStart(inline(rest))}`]
}

interface Token {
  /** Undefined for a run that is text, until it is escaped. */
  markdown?: string
  /** A run of `*`, `_` or `~` that may begin or end an emphasis. */
  run?: string
  opens?: boolean
  closes?: boolean
}

const TOKEN =
  /`([^`\n]+)`|<([^<>\n]{1,3000})>|\[([^[\]\n]{1,300})\]\((https?:\/\/[^\s()<>]{1,2000})\)|:([a-z0-9_+-]{1,50}):|&(amp|lt|gt);|(https?:\/\/[^\s<>|`\\"]+)|(\*+|_+|~+)/gi

/** Links, code, emphasis and emoji within a line. */
function inline(line: string): string {
  const tokens: Token[] = []
  let done = 0
  for (const match of line.matchAll(TOKEN)) {
    if (match.index > done) tokens.push({ markdown: escapeMarkdown(line.slice(done, match.index)) })
    const [whole, code, angled, label, url, emoji, entity, address, run] = match
    done = match.index + whole.length
    if (code !== undefined) tokens.push({ markdown: toCode(plainOf(code)) })
    else if (angled !== undefined) tokens.push({ markdown: fromAngled(angled) })
    else if (label !== undefined) tokens.push({ markdown: toLink(url!, escapeMarkdown(label)) })
    else if (emoji !== undefined) tokens.push({ markdown: emojiNamed(emoji) ?? escapeMarkdown(whole) })
    else if (entity !== undefined) tokens.push({ markdown: escapeMarkdown(ENTITIES[entity.toLowerCase()]!) })
    else if (address !== undefined) {
      const bare = withoutPunctuation(address)
      tokens.push({ markdown: toBare(bare) })
      pushRuns(tokens, address.slice(bare.length), line, match.index + bare.length)
    } else if (run !== undefined) tokens.push(toRun(run, line, match.index))
  }
  if (done < line.length) tokens.push({ markdown: escapeMarkdown(line.slice(done)) })
  return emphasize(tokens)
}

/** The punctuation that follows an address, of which some may end an emphasis. */
function pushRuns(tokens: Token[], punctuation: string, line: string, start: number) {
  for (const { 0: part, index } of punctuation.matchAll(/\*+|_+|~+|[^*_~]+/g))
    tokens.push(/^[*_~]/.test(part) ? toRun(part, line, start + index) : { markdown: escapeMarkdown(part) })
}

function withoutPunctuation(address: string): string {
  let end = address.length
  while ("*_~.,;:!?)']".includes(address[end - 1]!)) end -= 1
  return address.slice(0, end)
}

const WORD = /[\p{L}\p{N}]/u

function toRun(run: string, line: string, at: number): Token {
  const [left, right] = [line[at - 1] ?? ' ', line[at + run.length] ?? ' ']
  const isDelimiter = run.length <= 2
  return {
    run,
    opens: isDelimiter && !WORD.test(left) && !/\s/.test(right),
    closes: isDelimiter && !/\s/.test(left) && !WORD.test(right),
  }
}

/** Replaces the runs that belong together by what they are in Markdown. An emphasis lies within another, or apart. */
function emphasize(tokens: Token[]): string {
  const open: number[] = []
  tokens.forEach((token, at) => {
    if (!token.run) return
    const start = token.closes ? open.findLastIndex((other) => tokens[other]!.run === token.run) : -1
    if (start >= 0 && at - open[start]! > 1) {
      const mark = markOf(token.run)
      tokens[open[start]!]!.markdown = mark
      token.markdown = mark
      open.length = start
    } else if (token.opens && open.length < MAX_OPEN) open.push(at)
  })
  return tokens.map(({ markdown, run }) => markdown ?? escapeMarkdown(run!)).join('')
}

/** So that looking for the beginning of an emphasis takes no time. */
const MAX_OPEN = 12

const markOf = (run: string) => (run[0] === '~' ? '~~' : run === '_' ? '*' : '**')

/** An address as it is, if nothing in it means something else in Markdown. */
const toBare = (address: string) =>
  /^(?:[\w:/.?=%+#@,;~!$'-]|&(?!#?\w+;))+$/.test(address) ? address : toLink(address, '')

/** What Slack writes in angle brackets: links, mentions, channels, dates. */
function fromAngled(text: string): string {
  const bar = text.indexOf('|')
  const [target, label] = bar < 0 ? [text, ''] : [text.slice(0, bar), text.slice(bar + 1)]
  const shown = (fallback: string) => escapeMarkdown(withEmoji(decode(label)) || fallback)
  if (/^@(?:mem|app)_[0-9a-z]{26}$/.test(target)) return `<${target}>`
  if (target.startsWith('@')) return escapeMarkdown(`@${decode(label).replace(/^@/, '') || target.slice(1)}`)
  if (target.startsWith('#')) return escapeMarkdown(`#${decode(label).replace(/^#/, '') || target.slice(1)}`)
  if (target.startsWith('!')) return shown(`@${target.slice(1).split('^')[0]}`)
  const url = decode(target)
  if (isAddress(url))
    return label || !/^https?:/i.test(url) ? toLink(url, shown(url.replace(/^\w+:/, ''))) : toBare(url)
  return escapeMarkdown(`<${decode(text)}>`)
}

/** The codes that systems use when they report something. Others are shown as they were written. */
const CODES = `warning ⚠️ white_check_mark ✅ heavy_check_mark ✔️ ballot_box_with_check ☑️ x ❌ negative_squared_cross_mark ❎
no_entry ⛔ no_entry_sign 🚫 exclamation ❗ heavy_exclamation_mark ❗ bangbang ‼️ question ❓ grey_question ❔ information_source ℹ️
red_circle 🔴 large_orange_circle 🟠 large_yellow_circle 🟡 large_green_circle 🟢 large_blue_circle 🔵 large_purple_circle 🟣
white_circle ⚪ black_circle ⚫ large_red_square 🟥 large_orange_square 🟧 large_yellow_square 🟨 large_green_square 🟩
large_blue_square 🟦 rotating_light 🚨 fire 🔥 boom 💥 collision 💥 bomb 💣 zap ⚡ skull 💀 ghost 👻 bug 🐛 beetle 🪲 ambulance 🚑
construction 🚧 hammer 🔨 wrench 🔧 hammer_and_wrench 🛠️ gear ⚙️ rocket 🚀 package 📦 truck 🚚 tada 🎉 confetti_ball 🎊 sparkles ✨
star ⭐ star2 🌟 trophy 🏆 medal 🏅 eyes 👀 mag 🔍 mag_right 🔎 bell 🔔 no_bell 🔕 mega 📣 loudspeaker 📢 speech_balloon 💬
memo 📝 pencil ✏️ pencil2 ✏️ clipboard 📋 link 🔗 lock 🔒 unlock 🔓 key 🔑 shield 🛡️ hourglass ⌛ hourglass_flowing_sand ⏳
stopwatch ⏱️ alarm_clock ⏰ clock1 🕐 calendar 📅 date 📅 chart_with_upwards_trend 📈 chart_with_downwards_trend 📉 bar_chart 📊
arrow_up ⬆️ arrow_down ⬇️ arrow_right ➡️ arrow_left ⬅️ arrows_counterclockwise 🔄 recycle ♻️ heavy_plus_sign ➕ heavy_minus_sign ➖
+1 👍 thumbsup 👍 -1 👎 thumbsdown 👎 ok_hand 👌 wave 👋 clap 👏 raised_hands 🙌 pray 🙏 muscle 💪 point_right 👉 heart ❤️
green_heart 💚 broken_heart 💔 100 💯 smile 😄 grinning 😀 joy 😂 slightly_smiling_face 🙂 thinking_face 🤔 cry 😢 sob 😭
scream 😱 rage 😡 dizzy_face 😵 robot_face 🤖 computer 💻 desktop_computer 🖥️ phone ☎️ email 📧 inbox_tray 📥 outbox_tray 📤
house 🏠 office 🏢 cloud ☁️ sunny ☀️ umbrella ☔ snowflake ❄️ checkered_flag 🏁 triangular_flag_on_post 🚩 label 🏷️ bulb 💡
battery 🔋 electric_plug 🔌 satellite 📡 floppy_disk 💾 cd 💿 bookmark 🔖 new 🆕 up 🆙 ok 🆗 sos 🆘 snail 🐌 turtle 🐢 whale 🐳`

const words = CODES.split(/\s+/)
const emoji = new Map(words.flatMap((word, at) => (at % 2 === 0 ? [[word, words[at + 1]!] as const] : [])))

/** The character for a code such as `tada`; undefined if it is none of the usual ones. */
export const emojiNamed = (code: string): string | undefined => emoji.get(code.toLowerCase())

/** A text with its `:codes:` as characters. */
export const withEmoji = (text: string): string =>
  text.replace(/:([a-z0-9_+-]{1,50}):/gi, (written, code) => emojiNamed(code) ?? written)
