import type { Server } from './servers'

const PAGE = 50

/** Asks one page after the other, all the way to the end. */
export async function walk(server: Server, token: string, query: string, limit: number) {
  const cursors: string[] = []
  const ids: string[] = []
  for (let after = ''; ; ) {
    const body = await bodyOf(server, token, `/v2/posts?limit=${limit}${query}${after && `&after=${after}`}`)
    for (const [, id] of body.matchAll(/"id":"(post_[0-9a-z]+)","title"/g)) ids.push(id!)
    const next = body.match(/"next_cursor":"([^"]+)"/)?.[1]
    if (!next) break
    cursors.push(next)
    after = next
  }
  // From these on, a page is always full.
  return { ids, cursors: cursors.slice(0, Math.floor((ids.length - PAGE) / limit)) }
}

export async function bodyOf({ port }: Server, token: string, target: string): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${port}${target}`, { headers: { Authorization: `Bearer ${token}` } })
  if (!answer.ok) throw new Error(`${target}: ${answer.status} ${await answer.text()}`)
  return answer.text()
}

/** In an order that is by chance, and the same every time. */
export function shuffled<T>(all: readonly T[]): T[] {
  const result = [...all]
  let state = 1
  for (let at = result.length - 1; at > 0; at--) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    const other = Math.floor((state / 0x1_0000_0000) * (at + 1))
    ;[result[at], result[other]] = [result[other]!, result[at]!]
  }
  return result
}
