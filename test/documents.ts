import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'

export const projectRoot = resolve(import.meta.dir, '..')

/** All Markdown files of the project. */
export const documents = ['*.md', 'docs/**/*.md']
  .flatMap((each) => [...new Bun.Glob(each).scanSync(projectRoot)])
  .sort()

export const read = (document: string): string => readFileSync(resolve(projectRoot, document), 'utf8')

/** The targets of the links and images in a document. */
export function linksOf(document: string): string[] {
  const links: string[] = []
  Bun.markdown.render(read(document), {
    link: (_, { href }) => void links.push(href),
    image: (_, { src }) => void links.push(src),
  })
  return links
}

const MAX_COLUMNS = 100

/**
 * The lines of prose in a document that are too long. Tables, headings and code cannot be wrapped,
 * and neither can a single word such as an address.
 */
export function longLinesOf(document: string): string[] {
  let isInCode = false
  return read(document)
    .split('\n')
    .flatMap((line, at) => {
      const isFence = /^[\s>]*```/.test(line)
      if (isFence) isInCode = !isInCode
      if (isFence || isInCode || /^[\s>]*(\||#+ )/.test(line) || Bun.stringWidth(line) <= MAX_COLUMNS) return []
      const words = line.replace(/^[\s>]*([-*+]|\d+\.)?\s*/, '').match(/(`[^`]*`|\S)+/g)!
      return words.length > 1 ? [`${document}:${at + 1}: ${line}`] : []
    })
}

/** The shell examples of a document, each with the output shown after it, if any. */
export function examplesOf(document: string) {
  const blocks: { lang?: string | undefined; text: string }[] = []
  const other = (text: string) => void (text.trim() && blocks.push({ text }))
  Bun.markdown.render(read(document), {
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

/** The tables of a document, with the Markdown of their cells. */
export function tablesOf(document: string) {
  const tables: { head: string[]; rows: string[][] }[] = []
  let rows: string[][] = [[]]
  const cell = (source: string) => void rows.at(-1)!.push(source)
  Bun.markdown.render(read(document), {
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

/** The anchors of a document, as GitHub makes them from headings. */
export function anchorsOf(document: string): string[] {
  const anchors: string[] = []
  Bun.markdown.render(read(document), {
    heading: (text) => void anchors.push(toAnchor(text)),
  })
  return anchors
}

const toAnchor = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-')
