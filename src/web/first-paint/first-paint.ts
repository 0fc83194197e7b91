import type { PageToken } from '../../contract/sessions'
import { eraseKept, readKept, SETTING } from '../data/cache/kept-store'
import type { FirstRequests } from '../data/cache/session'
import type { Account } from '../data/cache/storage'
import { parseFeed, toFeedQuery } from '../data/feed'
import { endpoints, firstUrls, routes } from '../paths'

/** What every page needs, and what this one shows. */
const listFirstUrls = (path: string, search: string): string[] => [
  firstUrls.me,
  firstUrls.channels,
  firstUrls.sidebar,
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

/** A database that takes longer than this is not waited for. */
const MAX_READING_MS = 500

/**
 * Runs in the page itself, before anything is painted: applies the theme and the font, names the workspace to sign in to, reads
 * what is kept on the device, and sends the first requests, so that all of it is there when the scripts of the app are.
 */
const root = document.documentElement
let account: Account | null = null
let isKeeping = true

try {
  const theme = JSON.parse(localStorage.getItem('parley:theme') ?? '""')
  if (theme === 'light' || theme === 'dark') root.dataset.theme = theme
  if (localStorage.getItem('parley:font')) root.dataset.font = ''
  account = JSON.parse(localStorage.getItem('parley:account') ?? 'null')
  isKeeping = localStorage.getItem(`parley:${SETTING}`) !== 'false'
} catch {
  // Not available: as the system.
}

/** If the server has several workspaces, it is the one of the session that has ended. */
function nameWorkspace() {
  const name = document.querySelector('[data-workspace-name]')
  // Not parsed yet.
  if (!name) return requestAnimationFrame(nameWorkspace)
  name.textContent = account!.workspace.name
  document.querySelector('[data-workspace-initial]')!.textContent = [...account!.workspace.name.trim()][0] ?? ''
}

if (root.dataset.audience === 'signed-out' && account && !root.dataset.workspace) nameWorkspace()
if (root.dataset.audience === 'signed-out') void eraseKept()
else if (isKeeping)
  window.kept = Promise.race([
    readKept(),
    new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), MAX_READING_MS)),
  ])

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
