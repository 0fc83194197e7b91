import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'

/** The folder of the project. */
export const house = resolve(import.meta.dir, '..')

/** Every paper of the project, by its path. */
export const papers = ['*.md', 'docs/**/*.md'].flatMap((each) => [...new Bun.Glob(each).scanSync(house)]).sort()

export const read = (paper: string): string => readFileSync(resolve(house, paper), 'utf8')

/** Where the links and images of a paper lead. */
export function linksOf(paper: string): string[] {
  const links: string[] = []
  Bun.markdown.render(read(paper), {
    link: (_, { href }) => void links.push(href),
    image: (_, { src }) => void links.push(src),
  })
  return links
}

/** The blocks of code of a paper, each with the one that follows it as what it shows. */
export function examplesOf(paper: string) {
  const blocks: { lang?: string | undefined; text: string }[] = []
  const other = (text: string) => void (text.trim() && blocks.push({ text }))
  Bun.markdown.render(read(paper), {
    code: (text, meta) => void blocks.push({ lang: meta?.language, text: text.replace(/\n$/, '') }),
    ...{ heading: other, paragraph: other, list: other, table: other, blockquote: other },
  })
  return blocks.flatMap(({ lang, text: script }, at) => {
    if (lang !== 'sh') return []
    const next = blocks[at + 1]
    const shown = next?.lang && ['json', 'http'].includes(next.lang) ? { kind: next.lang, text: next.text } : undefined
    return [{ script, shown }]
  })
}

/** The tables of a paper, as the source of their cells. */
export function tablesOf(paper: string) {
  const tables: { head: string[]; rows: string[][] }[] = []
  let rows: string[][] = [[]]
  const cell = (source: string) => void rows.at(-1)!.push(source)
  Bun.markdown.render(read(paper), {
    codespan: (text) => `\`${text}\``,
    link: (text, { href }) => `[${text}](${href})`,
    strong: (text) => `**${text}**`,
    emphasis: (text) => `*${text}*`,
    th: cell,
    td: cell,
    tr: () => void rows.push([]),
    table: () => {
      const [head, ...others] = rows.slice(0, -1)
      tables.push({ head: head!, rows: others })
      rows = [[]]
      return undefined
    },
  })
  return tables
}

/** The names that links can point to inside a paper, as GitHub makes them from headings. */
export function anchorsOf(paper: string): string[] {
  const anchors: string[] = []
  Bun.markdown.render(read(paper), {
    heading: (text) => void anchors.push(toAnchor(text)),
  })
  return anchors
}

const toAnchor = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-')
