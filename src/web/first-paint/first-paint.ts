import type { PageToken } from '../../contract/sessions'
import type { FirstRequests } from '../data/first-requests'
import { endpoints, routes } from '../paths'
import { listFirstUrls } from './first-urls'

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
