import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { marked, type Token, type Tokens } from 'marked'

/** The folder of the project. */
export const house = resolve(import.meta.dir, '..')

/** Every paper of the project, by its path. */
export const papers = ['*.md', 'docs/**/*.md'].flatMap((each) => [...new Bun.Glob(each).scanSync(house)]).sort()

export const read = (paper: string): string => readFileSync(resolve(house, paper), 'utf8')

/** Everything a paper is made of, what is nested too, in order. */
export function tokensOf(paper: string): Token[] {
  const tokens: Token[] = []
  marked.walkTokens(marked.lexer(read(paper)), (token) => void tokens.push(token))
  return tokens
}

/** The blocks of code of a paper, each with the one that follows it as what it shows. */
export function examplesOf(paper: string) {
  const blocks = marked.lexer(read(paper)).filter((token) => token.type !== 'space')
  return blocks.flatMap((token, at) => {
    if (token.type !== 'code' || token.lang !== 'sh') return []
    const next = blocks[at + 1]
    const shown = next?.type === 'code' && ['json', 'http'].includes(next.lang) ? (next as Tokens.Code) : undefined
    return [{ script: token.text as string, shown: shown && { kind: shown.lang!, text: shown.text } }]
  })
}

/** The tables of a paper, as the source of their cells. */
export const tablesOf = (paper: string) =>
  tokensOf(paper)
    .filter((token): token is Tokens.Table => token.type === 'table')
    .map(({ header, rows }) => ({
      head: header.map(({ text }) => text),
      rows: rows.map((row) => row.map(({ text }) => text)),
    }))

/** The names that links can point to inside a paper, as GitHub makes them from headings. */
export const anchorsOf = (paper: string): string[] =>
  tokensOf(paper)
    .filter((token) => token.type === 'heading')
    .map(({ text }: Tokens.Heading | Tokens.Generic) =>
      text
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, '')
        .replace(/\s/g, '-'),
    )
