import MarkdownIt from 'markdown-it'
import { hideEmphasis, showEmphasis } from '../../contract/browser/bare-addresses'

type Inline = InstanceType<typeof parser.inline.State>
export type Token = ReturnType<typeof parser.parse>[number]

/** Markdown as the server reads it: raw HTML is text, one tilde strikes through as two do, and no address is changed. */
const parser = new MarkdownIt('default', { html: true })
parser.disable(['html_block', 'linkify', 'strikethrough', 'text_join', 'replacements', 'smartquotes'])
parser.validateLink = () => true
parser.normalizeLink = (url) => url
parser.normalizeLinkText = (text) => text

const TILDE = 0x7e
/** Delimiters are matched by marker: one tilde never ends what two have begun. */
const MARKERS = [TILDE + 0x100_000, TILDE]

parser.inline.ruler.after('backticks', 'tildes', (state: Inline, isSilent: boolean) => {
  const start = state.pos
  if (isSilent || state.src.charCodeAt(start) !== TILDE) return false
  const { can_open: open, can_close: close, length } = state.scanDelims(start, true)
  const token = state.push('text', '', 0)
  token.content = '~'.repeat(length)
  if (length < 3)
    state.delimiters.push({
      marker: MARKERS[length - 1]!,
      length: 0,
      token: state.tokens.length - 1,
      end: -1,
      open,
      close,
    })
  state.pos += length
  return true
})

parser.inline.ruler2.before('emphasis', 'tildes', (state: Inline) => {
  const all = [state.delimiters, ...state.tokens_meta.map((meta) => meta?.delimiters ?? [])]
  for (const delimiters of all)
    for (const opener of delimiters) {
      if (!MARKERS.includes(opener.marker) || opener.end < 0) continue
      change(state, opener.token, 's_open', 1)
      change(state, delimiters[opener.end]!.token, 's_close', -1)
    }
  return false
})

function change(state: Inline, at: number, type: string, nesting: 1 | -1) {
  const token = state.tokens[at]!
  Object.assign(token, { type, tag: 's', nesting, content: '' })
}

export interface Parsed {
  tokens: Token[]
  /** Whether it defines addresses of links, which would be lost. */
  hasReferences: boolean
}

/** Parses Markdown. Emphasis in addresses is hidden meanwhile, as the server does it. */
export function tokenize(markdown: string): Parsed {
  const env = {} as { references?: object }
  const tokens = parser.parse(hideEmphasis(markdown), env as never)
  return { tokens, hasReferences: env.references !== undefined && Object.keys(env.references).length > 0 }
}

export { showEmphasis }
