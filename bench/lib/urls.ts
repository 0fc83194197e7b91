import { encodeCursor } from '../../src/domain/cursor'
import type { Server } from './servers'

const PAGE = 50

interface Page<T> {
  data: T[]
  next_cursor: string | null
}

/** The records of a list, and the cursors of its pages, as far as they go or are wanted. */
export async function collectPages<T>(server: Server, token: string, path: string, limit: number, most = 1_000) {
  const cursors: string[] = []
  const records: T[] = []
  for (let after = ''; cursors.length < most; ) {
    const body = await getBody(server, token, `${path}?limit=${limit}${after && `&after=${after}`}`)
    const { data, next_cursor } = JSON.parse(body) as Page<T>
    records.push(...data)
    if (!next_cursor) break
    cursors.push(next_cursor)
    after = next_cursor
  }
  return { records, cursors: cursors.slice(0, Math.max(1, cursors.length - PAGE / limit)) }
}

interface Post {
  id: string
  created_at: string
  comments_count: number
}

/** All posts, page after page, and cursors to pages that are always full, one after each post. */
export async function walk(server: Server, token: string) {
  const posts: Post[] = []
  for (let after = ''; ; ) {
    const page: Page<Post> = JSON.parse(await getBody(server, token, `/v2/posts?limit=${PAGE}${after}`))
    posts.push(...page.data)
    if (!page.next_cursor) break
    after = `&after=${page.next_cursor}`
  }
  return {
    ids: posts.map(({ id }) => id),
    commented: posts.filter(({ comments_count }) => comments_count > 0).map(({ id }) => id),
    cursors: posts.slice(0, -PAGE).map(cursorAfter),
  }
}

const cursorAfter = ({ id, created_at }: Post): string =>
  encodeCursor('posts.list  ', {
    way: 'next',
    sort: 'published_at',
    direction: 'desc',
    at: Date.parse(created_at),
    id,
    inclusive: false,
  })

export async function getBody({ port }: Server, token: string, target: string): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${port}${target}`, { headers: { Authorization: `Bearer ${token}` } })
  if (!answer.ok) throw new Error(`${target}: ${answer.status} ${await answer.text()}`)
  return answer.text()
}

/** In an order that is by chance, and the same every time. */
export function shuffle<T>(all: readonly T[]): T[] {
  const result = [...all]
  let state = 1
  for (let at = result.length - 1; at > 0; at--) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    const other = Math.floor((state / 0x1_0000_0000) * (at + 1))
    ;[result[at], result[other]] = [result[other]!, result[at]!]
  }
  return result
}
