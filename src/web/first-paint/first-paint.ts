import type { PageToken } from '../../contract/sessions'
import type { FirstRequests } from '../data/cache/session'
import { parseFeed, toFeedQuery } from '../data/feed'
import { endpoints, firstUrls, routes } from '../paths'

/** What every page needs, and what this one shows. */
const listFirstUrls = (path: string, search: string): string[] => [
  firstUrls.me,
  firstUrls.channels,
  ...listPageUrls(path, search),
]

function listPageUrls(path: string, search: string): string[] {
  const [, section, id, part] = path.split('/')
  const toFeedUrl = (channelId?: string) =>
    firstUrls.posts(toFeedQuery(parseFeed(new URLSearchParams(search), channelId)))
  if (section === '' || (section === 'posts' && !id)) return [toFeedUrl()]
  if (section === 'channels' && id && part === 'files') return [firstUrls.channelFiles(id)]
  if (section === 'channels' && id) return [toFeedUrl(id), firstUrls.pins(id)]
  if (section === 'posts' && id && id !== 'new') return [firstUrls.post(id), firstUrls.comments(id)]
  return []
}

/**
 * Runs in the page itself, before anything is painted: applies the theme and the font, and sends the first requests, so that they are
 * answered while the scripts of the app are still loading.
 */
const root = document.documentElement

try {
  const theme = JSON.parse(localStorage.getItem('parley:theme') ?? '""')
  if (theme === 'light' || theme === 'dark') root.dataset.theme = theme
  if (localStorage.getItem('parley:font')) root.dataset.font = ''
} catch {
  // Not available: as the system.
}

if (root.dataset.audience === 'signed-in' && location.pathname !== routes.signIn) {
  const token = fetch(endpoints.sessionToken, { method: 'POST', headers: { 'Content-Type': 'application/json' } }).then(
    (response): Promise<PageToken> | undefined => (response.ok ? response.json() : undefined),
    () => undefined,
  )
  const send = async (url: string): Promise<Response | undefined> => {
    const page = await token
    if (!page) return undefined
    const response = await fetch(url, { headers: { Authorization: `Bearer ${page.token}` } })
    return response.ok ? response : undefined
  }
  const responses: FirstRequests['responses'] = new Map()
  for (const url of listFirstUrls(location.pathname, location.search))
    responses.set(
      url,
      send(url).catch(() => undefined),
    )
  window.firstRequests = { token, responses }
}
