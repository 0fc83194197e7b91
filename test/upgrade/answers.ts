/** What the API answered to one GET, and to whom. Callers that got the same are together. */
export interface Answer {
  callers: string[]
  status: number
  /** Of a list, all of its pages. Of an error, its code. */
  body: unknown
}

/** By path. */
export type Answers = Record<string, Answer[]>

/** A token that everybody may know: a scanner for secrets would report any other. */
export const tokenOf = (caller: string) => `parley_${caller.padEnd(43, '_')}`

/** Stored texts contain it. */
export const PUBLIC_URL = 'https://parley.example.com'

const PAGE = 7

/** Asks for each path as each caller, in the order given. */
export async function ask(url: string, paths: readonly string[], callers: readonly string[]): Promise<Answers> {
  const answers: Answers = {}
  for (const path of paths) {
    const found = new Map<string, Answer>()
    const answered = await Promise.all(callers.map((caller) => get(url, path, tokenOf(caller))))
    for (const [at, { status, body }] of answered.entries()) {
      const same = JSON.stringify([status, body])
      const answer = found.get(same) ?? { callers: [], status, body }
      answer.callers.push(callers[at]!)
      found.set(same, answer)
    }
    answers[path] = [...found.values()]
  }
  return answers
}

async function get(url: string, path: string, token: string): Promise<{ status: number; body: unknown }> {
  const pages: unknown[] = []
  for (let after = ''; ; ) {
    const address = new URL(path, url)
    if (after) address.searchParams.set('after', after)
    const response = await fetch(address, { headers: { Authorization: `Bearer ${token}` } })
    const { status } = response
    const text = await response.text()
    const body = text === '' ? null : JSON.parse(text)
    if (!response.ok) return { status, body: body.code }
    if (!Array.isArray(body?.data)) return { status, body }
    const { data, next_cursor, has_more, ...rest } = body
    pages.push(...data)
    if (!next_cursor || has_more === false) {
      // What is asked for by ids comes in any order.
      if (address.searchParams.has('ids')) pages.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
      return { status, body: { data: pages, ...withoutCursors(rest) } }
    }
    after = next_cursor
  }
}

/** Cursors may be written in another way. */
const withoutCursors = (page: object) =>
  Object.fromEntries(Object.entries(page).filter(([key]) => !/cursor$/.test(key)))

/** A list, read in pages so small that there are several. */
export const inPages = (path: string) => `${path}${path.includes('?') ? '&' : '?'}limit=${PAGE}`
