import { sample } from './figures'
import type { Fixtures } from './fixtures'
import { type List, listAll } from './lists'
import { size } from './settings'

/** What to request of a dataset. Pages do not overlap, so that no record is read twice. */
export interface Urls {
  pages: string[]
  posts: string[]
  comments: string[]
  messages: string[]
  members: string[]
  /** Cursors to full pages, by the name of the list. Small lists have one at every record. */
  cursors: Record<string, string[]>
}

interface Page {
  data: { id: string; comments_count: number }[]
  total_count: number
  next_cursor: string | null
}

interface Access {
  token: string
  memberToken: string
  fixtures: Fixtures
}

const PAGE_SIZE = 50
/** Up to this many records, a list is walked one by one. */
const SHORT = 2_000

export async function collectUrls(port: number, access: Access, hasLists: boolean): Promise<Urls> {
  const { token, memberToken, fixtures } = access
  const limit = size.requests
  const ids: string[] = []
  const commented: string[] = []
  const cursors: Urls['cursors'] = {}
  const pages = await walk(port, token, '/v2/posts?', PAGE_SIZE, ({ data }) => {
    for (const post of data) (post.comments_count > 0 ? commented : ids).push(post.id)
  })
  const members = await walk(port, token, '/v2/members?', PAGE_SIZE)
  const threads: string[] = []
  await walk(port, memberToken, '/v2/threads?', PAGE_SIZE, ({ data }) => threads.push(...data.map(({ id }) => id)))
  if (hasLists)
    for (const list of listAll(fixtures))
      cursors[list.name] = await collectCursors(port, list.isForMembers ? memberToken : token, list)
  const toUrl = (path: string) => (cursor: string) => `${path}?after=${cursor}`
  return {
    pages: sample(pages, limit).map(toUrl('/v2/posts')),
    posts: sample(ids, limit).map((id) => `/v2/posts/${id}`),
    comments: sample(commented, limit).map((id) => `/v2/posts/${id}/comments`),
    messages: sample(threads, limit).map((id) => `/v2/threads/${id}/messages`),
    members: sample(members, limit).map(toUrl('/v2/members')),
    cursors,
  }
}

/** Of a long list, pages near both ends: there is no way to its middle but to walk all of it. */
async function collectCursors(port: number, token: string, list: List): Promise<string[]> {
  if (list.cursors) return list.cursors
  const address = `${list.path}?${list.query}&`
  const { total_count } = await getJson<Page>(port, token, `${address}limit=1`)
  if (total_count <= SHORT) return walk(port, token, address, 1)
  const [oldest, newest] = ['asc', 'desc'].map((direction) => `${address}direction=${direction}&`) as [string, string]
  return [
    ...(await walk(port, token, oldest, PAGE_SIZE, undefined, SHORT / 4)),
    ...(await walk(port, token, newest, PAGE_SIZE, undefined, SHORT / 4)),
  ]
}

/** The cursors of a list from its first page on, without cursors after which less than a page is left. */
async function walk(
  port: number,
  token: string,
  address: string,
  limit: number,
  onPage?: (page: Page) => void,
  maxPages = Number.POSITIVE_INFINITY,
) {
  const cursors: string[] = []
  for (let after = ''; cursors.length < maxPages; ) {
    const page = await getJson<Page>(port, token, `${address}limit=${limit}${after && `&after=${after}`}`)
    onPage?.(page)
    if (!page.next_cursor) break
    after = page.next_cursor
    cursors.push(after)
  }
  return cursors.slice(0, Math.max(0, cursors.length - PAGE_SIZE / limit))
}

export async function getText(port: number, token: string, url: string, headers: Record<string, string> = {}) {
  const response = await fetch(`http://127.0.0.1:${port}${url}`, {
    headers: { Authorization: `Bearer ${token}`, ...headers },
  })
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`)
  return response.text()
}

export const getJson = async <T>(port: number, token: string, url: string): Promise<T> =>
  JSON.parse(await getText(port, token, url))
