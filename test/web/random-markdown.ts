/** A reference to a file, and someone who is mentioned, in random texts. */
export const FILE = 'file_01h455vb4pex5vsknk084sn02q'
export const MEMBER = 'mem_01h455vb4pex5vsknk084sn02q'

const words = [
  ...[
    'one',
    'two',
    'café',
    'snake_case',
    '5',
    "it's",
    'https://example.com/a_b',
    'C++',
    '#tag',
    'a.b@c.de',
    'x',
    '日本',
  ],
  ...['🎉', '1.', 'end.', '(so)', '"q"', '&', '<', '>', '-', '+', '*', '_', '~', '|', '!', ':tada:', '@Ada', '&amp;'],
  ...['[x]', '=', '\\', 'a*b', 'www.x.org/(y)', '…', '—'],
]
const pieces = [
  ...['*', '**', '_', '__', '~', '~~', '`', '``', '[', ']', '(', ')', '<', '>', '!', '\\', '&', '#', ' ', ' ', ' '],
  ...['\n', '\n', '\n\n', '- ', '1. ', '> ', '  ', '    ', 'a', 'b', 'word', '|', '---', '=', '+', ':', '.'],
  ...['https://e.com', '@', '&lt;', '[ ] ', '\t', '|-|', '```', '~~~', 'x@y.zz', FILE, `![a](${FILE})`],
]

/** Makes texts, the same for the same seed. */
export function createRandomTexts(seed: number) {
  let state = seed
  const next = () => {
    state = (state * 1_103_515_245 + 12_345) & 0x7fffffff
    return state / 0x7fffffff
  }
  const below = (limit: number) => Math.floor(next() * limit)
  const pick = <T>(all: readonly T[]): T => all[below(all.length)]!
  const many = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make)
  const indent = (text: string, by: string) => text.replace(/\n(?=.)/g, `\n${by}`)

  function line(depth = 0): string {
    const within = () => (depth > 2 ? pick(words) : line(depth + 1))
    const make = [
      () => `**${within()}**`,
      () => `*${within()}*`,
      () => `_${within()}_`,
      () => `~~${within()}~~`,
      () => `\`${pick(words)}\``,
      () => `[${within()}](https://e.com/${pick(['a', 'b_c', 'd(e)'])}${pick(['', ' "t"'])})`,
      () => `![${pick(words)}](${pick([FILE, 'https://e.com/i.png'])})`,
      () => `<@${MEMBER}>`,
      () => `[${pick(words)}](${FILE})`,
      () => `<${pick(['https://e.com/x_y', 'b', '/b', 'a href="*x*"', '!-- c --'])}>`,
      () => `\\${pick(['*', '_', '<', '[', '\\', '#', '`'])}`,
    ][below(16)]
    if (make) return make()
    const word = () => (depth <= 1 && next() < 0.3 ? line(depth + 1) : pick(words))
    return many(1 + below(4), word).join(pick([' ', ' ', ' ', '', '\n']))
  }
  const oneLine = () => line().replaceAll('\n', ' ')

  function table(): string {
    const columns = 1 + below(3)
    const row = () => `| ${many(columns, () => oneLine().replaceAll('|', '\\|')).join(' | ')} |`
    const aligns = many(columns, () => pick(['--', ':--', '--:', ':-:'])).join('|')
    return [row(), `|${aligns}|`, ...many(below(3), row)].join('\n')
  }

  function list(depth: number): string {
    const [isLoose, isOrdered] = [next() < 0.3, next() < 0.4]
    const [bullet, start] = [pick(['-', '*', '+']), pick([1, 1, 0, 3])]
    const gap = isLoose ? '\n\n' : '\n'
    const items = Array.from({ length: 1 + below(3) }, (_, at) => {
      const marker = isOrdered ? `${start + at}.` : bullet
      const box = next() < 0.25 ? pick(['[ ] ', '[x] ']) : ''
      const text = next() < 0.8 ? line() : block(depth + 1)
      const below = next() < 0.3 ? gap + block(depth + 1) : ''
      return `${marker} ${box}${indent(text + below, ' '.repeat(marker.length + 1))}`
    })
    return items.join(gap)
  }

  function block(depth = 0): string {
    const make = [
      () => `${'#'.repeat(1 + below(6))} ${oneLine()}`,
      () => (depth < 3 ? block(depth + 1).replace(/^/gm, '> ') : line()),
      () => (depth < 3 ? list(depth) : line()),
      () =>
        `\`\`\`${pick(['', 'js', 'sql x', 'c++'])}\n${pick(['a', '  b\n\nc', 'x|y', '`', '~~~', '# x', ''])}\n\`\`\``,
      table,
      () => pick(['---', '***', '___']),
      () => `![${pick(words)}](${FILE})`,
      () => `[${oneLine()}](${FILE})`,
      () => `${line()}\n${pick(['===', '---'])}`,
      () => `    ${pick(words)}`,
    ][below(13)]
    return make ? make() : line()
  }

  return {
    /** Lines of text with all kinds of formatting. */
    line: () => line(),
    /** A block of any kind, with others in it. */
    block: () => block(),
    /** Several blocks. */
    text: () => many(3, () => block()).join(pick(['\n\n', '\n\n', '\n'])),
    /** Characters that mean something, in any order. */
    noise: () => many(1 + below(14), () => pick(pieces)).join(''),
  }
}
