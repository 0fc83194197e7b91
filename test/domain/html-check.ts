const FILE = 'file_[0-9a-hjkmnp-tv-z]{26}'
const NUMBER = /^[1-9]\d*$/
const FILE_ID = new RegExp(`^${FILE}$`)

/** The allowed tags and attributes, independent of the renderer’s own list. */
const ALLOWED: Record<string, Record<string, RegExp>> = {
  ...Object.fromEntries(
    'h1 h2 h3 h4 h5 h6 br hr blockquote pre ul li strong em del table thead tbody tr'
      .split(' ')
      .map((tag) => [tag, {}]),
  ),
  p: { class: /^file-card$/, 'data-file': FILE_ID },
  figure: { class: /^file-(?:image|video|audio)$/, 'data-file': FILE_ID },
  span: { class: /^file-(?:name|facts|missing)$/, 'data-file': FILE_ID },
  video: {
    controls: /^$/,
    preload: /^metadata$/,
    src: new RegExp(`^/files/${FILE}$`),
    width: NUMBER,
    height: NUMBER,
    'aria-label': /^/,
    'data-name': /^/,
  },
  audio: {
    controls: /^$/,
    preload: /^none$/,
    src: new RegExp(`^/files/${FILE}$`),
    'aria-label': /^/,
    'data-name': /^/,
  },
  a: {
    class: /^mention$/,
    'data-name': /^/,
    // What begins with a colon has no scheme.
    href: /^(?:https?:\/\/|https?:[^/]|mailto:|:|(?!\/\/)[^:]*(?:[/?#%&;]|$))/i,
    title: /^/,
    rel: /^nofollow noopener noreferrer$/,
  },
  img: {
    src: /^(?:https?:|:|(?!\/\/)[^:]*(?:[/?#%&;]|$))/i,
    alt: /^/,
    title: /^/,
    width: NUMBER,
    height: NUMBER,
    'data-name': /^/,
    loading: /^lazy$/,
    referrerpolicy: /^no-referrer$/,
  },
  code: { class: /^language-[\w+#-]{1,30}$/ },
  ol: { start: /^\d{1,9}$/ },
  th: { align: /^(?:left|center|right)$/ },
  td: { align: /^(?:left|center|right)$/ },
  input: { type: /^checkbox$/, disabled: /^$/, checked: /^$/ },
}
const VOID = new Set(['br', 'hr', 'img', 'input'])
const REQUIRED: Record<string, string[]> = {
  a: ['href', 'rel'],
  img: ['src', 'alt', 'loading'],
  figure: ['class', 'data-file'],
  span: ['class'],
  video: ['controls', 'preload', 'src', 'aria-label'],
  audio: ['controls', 'preload', 'src', 'aria-label'],
  input: ['type', 'disabled'],
}

/** Everything that is unsafe or invalid in rendered HTML. */
export function findFaults(html: string): string[] {
  return [...findUnlisted(html), ...findUnbalanced(html)]
}

/** Tags and attributes that are not allowed, found by Bun's HTML parser. */
function findUnlisted(html: string): string[] {
  const faults: string[] = []
  new HTMLRewriter()
    .on('*', {
      element({ tagName, attributes }) {
        const allowed = ALLOWED[tagName]
        if (!allowed) faults.push(`<${tagName}> is not allowed`)
        const names = new Set<string>()
        for (const [name, value] of attributes as Iterable<[string, string]>) {
          if (!allowed?.[name]?.test(value)) faults.push(`<${tagName} ${name}="${value}"> is not allowed`)
          if (names.has(name)) faults.push(`<${tagName}> has two ${name}`)
          names.add(name)
        }
        if (names.has('width') !== names.has('height')) faults.push(`<${tagName}> has half a size`)
        if (tagName === 'img' && !names.has('width') && !names.has('referrerpolicy'))
          faults.push('<img> of another server has no referrerpolicy')
        for (const name of REQUIRED[tagName] ?? []) if (!names.has(name)) faults.push(`<${tagName}> has no ${name}`)
      },
      comments: () => void faults.push('a comment'),
    })
    .transform(html)
  return faults
}

const BLOCKS = new Set('h1 h2 h3 h4 h5 h6 p figure blockquote pre ul ol table'.split(' '))
/** What holds text and no blocks. */
const INLINE_ONLY = new Set('h1 h2 h3 h4 h5 h6 p a span strong em del code td th'.split(' '))

// An ampersand that cannot begin an entity is text.
const TOKEN =
  /<(\/?)([a-z][a-z0-9]*)((?: [a-z-]+(?:="[^"<>]*")?)*)( \/)?>|[^<>&]+|&(?:amp|lt|gt|quot);|&(?![a-zA-Z\d#])/y

/** Anything but text, entities and complete tags, and tags that are not properly nested. */
function findUnbalanced(html: string): string[] {
  const open: string[] = []
  TOKEN.lastIndex = 0
  while (TOKEN.lastIndex < html.length) {
    const at = TOKEN.lastIndex
    const match = TOKEN.exec(html)
    if (!match) return [`no text and no tag: ${html.slice(at, at + 40)}`]
    const [, slash, name] = match
    if (!name || VOID.has(name)) continue
    if (slash && open.pop() !== name) return [`</${name}> closes nothing`]
    if (!slash && BLOCKS.has(name) && open.some((each) => INLINE_ONLY.has(each))) return [`<${name}> in text`]
    if (!slash) open.push(name)
    if (!slash && name === 'a' && open.indexOf('a') < open.length - 1) return ['a link in a link']
  }
  return open.map((name) => `<${name}> is not closed`)
}
