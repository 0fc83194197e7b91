/** Texts that are slow to parse: delimiters that are never closed, closed late, or nested. */

export const MAX_LENGTH = 100_000
/** Of the short form of a text, which is enough to see that its time does not grow with the square of its length. */
export const SHORT_LENGTH = 30_000

/** Files that the tests show. */
export const FILE_ID = `file_${'0'.repeat(26)}`
export const SOUND_ID = `file_${'1'.repeat(26)}`

export const pieces = [
  ...[
    '[*a]( ',
    '[',
    ']',
    '![',
    '[a](',
    '[a](b)',
    '[a](<',
    '[a](b "',
    "[a](b '",
    '[a](`b)',
    '[a]',
    '[a][b]',
    '[]()',
    '](',
  ],
  ...['*', '**', '*a ', '*a**b', '_', '_a__b', '*_', '~', '~~a', '**_', '*a_b*c_', 'a*b_c~d', '***'],
  ...['`', '``a', '\\`', '\\``', '`` \\', '```\n', '~~~\n', '\\', '\\\\', '\\['],
  ...[
    '>',
    '> ',
    '> - ',
    '- ',
    '* - + ',
    '1. ',
    '1) ',
    '- [ ] ',
    '- a\n',
    '    a\n',
    '\t',
    '# ',
    '# \n',
    '***\n',
    'a\n=\n',
  ],
  ...['|', '|-', '|a', '|a|\n|-|\n', 'a|b\n', '|-|-|\n'],
  ...[
    '<',
    '<b>',
    '</b>',
    '<div>\n',
    '<a href="',
    '<a b=c ',
    '<!--',
    '-->',
    '<?',
    '<!A',
    '<![CDATA[',
    '<http://',
    '<a@b.c',
  ],
  ...['a@', 'a@b.c ', 'a@b.c*', '_www.', 'www.', 'www.a.b ', 'http://', 'http://a)', 'https://a.b/(', 'a.', '@', '://'],
  ...[
    '&',
    '&amp;',
    '&#1;',
    '&#x',
    '&a',
    '[a]: b\n',
    '[a]: <',
    '[a]: b "',
    '[^1]: a\n',
    '[a]: b\n\n[a]',
    '<@',
    '<@mem_',
  ],
  ...[
    `<@mem_${'0'.repeat(26)}>`,
    `<@app_${'z'.repeat(26)}> `,
    '\n',
    '\r',
    '  \n',
    'a\n',
    'a\n\n',
    ' ',
    'a',
    '"',
    '(',
    ')',
  ],
  ...[
    'a@b.co ',
    '`a`',
    '~a~',
    '&\n',
    '<\n',
    '-\n',
    '#\n',
    '|1',
    '2. a\n3) b\n',
    '- [ ] a\n',
    '- [x] a\n',
    '```x\n```\n',
    '| 1 | 2 |\n|-:|-:|\n| 1 | 2 |\n',
  ],
  ...[
    `![](${FILE_ID})\n\n`,
    `![](${FILE_ID}) a `,
    `[a](${FILE_ID})`,
    `![a](${SOUND_ID})\n\n`,
    '![](b) ',
    '[a](b "c&") ',
    '[&](&)',
  ],
  ...['é', '😀', '\u0301', '\u00a0', '\u202e', '\u0000', '\u0001', '\ufdd0', '$', '[[', '{', '%', '$$a', '!', ':'],
]

const filled = (piece: string, length = MAX_LENGTH) => piece.repeat(Math.ceil(length / piece.length))

/** With two pieces, they are combined. */
const shapes: Record<string, (length: number, piece: string, other: string) => string> = {
  repeated: (length, piece) => filled(piece, length),
  'on lines': (length, piece) => filled(`${piece.trimEnd()}x\n`, length),
  'before its mirror': (length, piece) => filled(piece, length / 2) + filled(mirrored(piece), length / 2),
  'before blank lines': (length, piece) => filled(piece, length / 2) + filled('\n', length / 2),
  'in a list of quotations': (length, piece) => filled(`- > ${filled(piece.replaceAll('\n', ' '), 60)}\n`, length),
  'by turns with another': (length, piece, other) => filled(piece + other, length),
  'before another': (length, piece, other) => filled(piece, length / 2) + filled(other, length / 2),
  'in a paragraph after a link': (length, piece) => `[x]: y\n\n[x](\`y)${filled(piece, length)}\``,
}

const MIRRORED: Record<string, string> = { '[': ']', '(': ')', '{': '}', '<': '>' }
const mirrored = (piece: string) =>
  [...piece]
    .reverse()
    .map((letter) => MIRRORED[letter] ?? letter)
    .join('')

/** Texts that are not made of one repeated piece. */
const special: Record<string, string> = {
  'a wide table of short rows': `${'|a'.repeat(120)}|\n${'|-'.repeat(120)}|\n${filled('|\n')}`,
  'a table as wide as it gets': `${'|a'.repeat(25_000)}|\n${'|-'.repeat(24_000)}|\n`,
  'many wide tables': filled(`${'|a'.repeat(100)}\n${'|-'.repeat(100)}\n${'|\n'.repeat(100)}\n`),
  'a long address, referred to often': `[x]: ${'y'.repeat(50_000)}\n\n${filled('[x]', 50_000)}`,
  'emphasis in emphasis': `${'*'.repeat(50_000)}a${'*'.repeat(50_000)}`,
  'strong in emphasis in strong': `${filled('*a **b ', 50_000)}${filled(' a** b*', 50_000)}`,
  'images in images': `${'!['.repeat(16_000)}${'](u)'.repeat(16_000)}`,
  'links in links': `${'['.repeat(20_000)}${'](u)'.repeat(20_000)}`,
  'brackets in brackets with a definition': `[x]: y\n\n${'['.repeat(49_000)}${']'.repeat(49_000)}`,
  'quotations in quotations': `${'>'.repeat(50_000)}${'\n'.repeat(50_000)}`,
  'quotations, each line one deeper': lines((depth) => `${'>'.repeat(depth)}a`),
  'lists in lists, then blank lines': `${'- '.repeat(25_000)}x${'\n'.repeat(50_000)}`,
  'lists, each line one deeper': lines((depth) => `${'  '.repeat(depth)}- a`),
  'lists, each line one deeper, then blank lines': `${lines((depth) => `${'  '.repeat(depth)}- a`, 40_000)}${'\n'.repeat(60_000)}`,
  'lists many at a time, then blank lines': `${lines((depth) => ' '.repeat(depth * 40) + '- '.repeat(20), 50_000)}${'\n'.repeat(50_000)}`,
  'lists by tabs, then blank lines': `${lines((depth) => `${'\t'.repeat(depth)}- a`, 40_000)}${'\n'.repeat(60_000)}`,
  'code spans of ever more backticks': lines((depth) => `${'`'.repeat(depth)}a`).replaceAll('\n', ''),
  'brackets hidden by a code span': `[x](\`y)${'['.repeat(99_000)}\``,
  'definitions of many labels': lines((at) => `[${at}]: u`),
  'labels that are long': `[${'a'.repeat(998)}]: u\n\n${filled(`[${'a'.repeat(998)}]`, 98_000)}`,
  'headings of every depth': filled('# a\n## b\n### c\n#### d\n##### e\n###### f\n'),
  'one long word': 'a'.repeat(MAX_LENGTH),
  'one long line of spaces': `a${' '.repeat(MAX_LENGTH - 2)}b`,
}

function lines(line: (at: number) => string, length = MAX_LENGTH): string {
  let text = ''
  for (let at = 0; text.length < length; at++) text += `${line(at)}\n`
  return text
}

/** Cuts a text after so many code points. */
const cut = (text: string, length: number) =>
  /[\ud800-\udfff]/.test(text) ? [...text].slice(0, length).join('') : text.slice(0, length)

export interface HostileText {
  name: string
  /** It has at most the maximum length of content, in code points. */
  text: string
  /** The same, but shorter. Those that are not made of repeated pieces have none. */
  short?: string
}

export const hostileTexts: HostileText[] = [
  ...Object.entries(shapes).flatMap(([shape, make]) =>
    pieces.map((piece, at) => {
      const other = pieces[(at * 7 + 3) % pieces.length]!
      const others = make.length > 2 ? ` ${JSON.stringify(other)}` : ''
      return {
        name: `${JSON.stringify(piece)} ${shape}${others}`,
        text: cut(make(MAX_LENGTH, piece, other), MAX_LENGTH),
        short: cut(make(SHORT_LENGTH, piece, other), SHORT_LENGTH),
      }
    }),
  ),
  ...Object.entries(special).map(([name, text]) => ({ name, text: cut(text, MAX_LENGTH) })),
]

export const plainText = filled('The quick brown fox jumps over the lazy dog, and then it rests. ').slice(0, MAX_LENGTH)
