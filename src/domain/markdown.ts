import { Marked, Tokenizer, type TokenizerAndRendererExtension } from 'marked'
import { isPlain, sanitized, sanitizedPlain, withoutTags } from './safe-html'

const DEEPEST = 20
const LONGEST_EMAIL = 320
const LONGEST_TEXT = 1_000

/** Marked's own rules within bounds: what nobody writes by hand costs neither a deep stack nor quadratic time. */
class BoundedTokenizer extends Tokenizer {
  private depth = 0

  override blockquote(src: string) {
    return this.within(() => super.blockquote(src))
  }

  override list(src: string) {
    return this.within(() => super.list(src))
  }

  override emStrong(src: string, masked: string, before?: string) {
    return this.within(() => super.emStrong(src, masked, before))
  }

  /** A heading is underlined by a second line; looking for one costs more than all the rest of a short text. */
  override lheading(src: string) {
    return src.includes('\n') ? super.lheading(src) : undefined
  }

  /** Every letter may begin an e-mail address; none is so long that all the rest must be looked at. */
  override url(src: string) {
    return super.url(/^(?:www\.|https?:|ftp:)/i.test(src) ? src : src.slice(0, LONGEST_EMAIL))
  }

  override inlineText(src: string) {
    if (src.length <= LONGEST_TEXT) return super.inlineText(src)
    const near = src.slice(0, LONGEST_TEXT)
    return super.inlineText(near.slice(0, near.lastIndexOf(' ') + 1 || LONGEST_TEXT))
  }

  private within<T>(tokenize: () => T): T | undefined {
    if (this.depth >= DEEPEST) return undefined
    this.depth += 1
    try {
      return tokenize()
    } finally {
      this.depth -= 1
    }
  }
}

/** `<@mem_…>` and `<@app_…>`. One that stands for nobody is shown as it was written. */
const mention: TokenizerAndRendererExtension = {
  name: 'mention',
  level: 'inline',
  start: (src) => src.indexOf('<@'),
  tokenizer(src) {
    const [raw, id] = src.match(/^<@((?:mem|app)_[0-9a-z]{26})>/) ?? []
    return raw ? { type: 'mention', raw, id, isInLink: this.lexer.state.inLink } : undefined
  },
  renderer({ raw, name, href, isInLink }) {
    if (name === undefined) return escapeHtml(raw)
    const text = `@${escapeHtml(name)}`
    return isInLink ? text : `<a class="mention" href="${escapeHtml(href)}">${text}</a>`
  },
}

const escapeHtml = (text: string) =>
  text.replace(/[&<>"]/g, (letter) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[letter]!)

const marked = new Marked({ gfm: true, breaks: false, extensions: [mention] })

/** Who is mentioned, by id: the name that is shown, and where it leads. */
export type Mentioned = ReadonlyMap<string, { name: string; href: string }>

const parse = (markdown: string) => marked.lexer(markdown, { ...marked.defaults, tokenizer: new BoundedTokenizer() })

/** Markdown to HTML as it comes, which may hold anything. */
export function render(markdown: string, mentioned: Mentioned = new Map()): string {
  const tokens = parse(markdown)
  marked.walkTokens(tokens, (token) => {
    if (token.type === 'mention') Object.assign(token, mentioned.get(token.id))
  })
  return marked.parser(tokens)
}

const MOST_MENTIONS = 50

/** The ids a text mentions: `<@id>`, in text and never in code. */
export function mentionsIn(markdown: string): string[] {
  if (!markdown.includes('<@')) return []
  const ids = new Set<string>()
  marked.walkTokens(parse(markdown), (token) => {
    if (token.type === 'mention') ids.add(token.id)
  })
  return [...ids].slice(0, MOST_MENTIONS)
}

/** Markdown to HTML that is safe to show as it is. */
export function toHtml(markdown: string, mentioned: Mentioned = new Map()): string {
  const html = render(markdown, mentioned)
  // Where nobody wrote a tag or an entity, all tags are the renderer's own.
  const isOurs = !/[<&]/.test(markdown)
  return (isOurs && isPlain(html) ? sanitizedPlain(html) : sanitized(html)).trim()
}

/** The text without its markup, for titles. */
export function toText(markdown: string, mentioned: Mentioned = new Map()): string {
  const text = withoutTags(toHtml(markdown, mentioned))
  return text
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&quot;/g, '"')
    .replace(/&#0?39;/g, "'")
    .replace(/&amp;/g, '&')
    .replace(/\s+/g, ' ')
    .trim()
}

const TITLE_LENGTH = 120

/** The title of a post that was given none: its first line that says anything, cut at a word. */
export function titleFrom(markdown: string, mentioned: Mentioned = new Map()): string {
  for (const line of markdown.split('\n', 200)) {
    const text = toText(line.slice(0, 2_000), mentioned)
    if (text) return shorten(text)
  }
  return 'Untitled'
}

function shorten(text: string): string {
  const letters = [...text]
  if (letters.length <= TITLE_LENGTH) return text
  const cut = letters.slice(0, TITLE_LENGTH - 1).join('')
  return `${cut.replace(/\s+\S{0,20}$/, '')}…`
}
