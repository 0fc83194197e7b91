// Opens the app without a connection, shows notifications, and opens what they are about. The server writes `release` above
// this, so each build of the app is a new service worker.
const { version, page, script, files, laterFiles, paths } = release

const CACHES = 'parley-'
const CACHE = CACHES + version
const appPaths = new RegExp(paths)
const laterPaths = new Set(laterFiles)

/** After that long, the page is opened without the server. */
const MAX_WAIT_MS = 3_000
/** What proxies say of a server that does not answer. */
const UNAVAILABLE = [502, 503, 504]

self.addEventListener('install', (event) => {
  // The worker need not be started for what it leaves alone.
  const network = (pathname) => ({ condition: { urlPattern: { pathname } }, source: 'network' })
  const others = ['/v2/*', '/session/*', '/avatars/*', '/files/*']
  event.waitUntil(Promise.all([event.addRoutes?.(others.map(network)), self.skipWaiting()]))
})

self.addEventListener('activate', (event) =>
  event.waitUntil(Promise.all([self.registration.navigationPreload?.enable(), self.clients.claim()])),
)

self.addEventListener('message', (event) => {
  // What fails now is tried again by the next page.
  if (event.data?.type === 'keep') event.waitUntil(keepFiles().catch(() => undefined))
})

/** All files of this build, or nothing: during an upgrade, another server may have sent the page of another build. */
async function keepFiles() {
  const cache = await caches.open(CACHE)
  if (await cache.match(page)) return
  const response = await fetch(page, { cache: 'no-cache' })
  const html = await response.clone().text()
  if (!html.includes(script) || !html.includes('data-audience="signed-in"')) return
  await cache.addAll(files)
  await cache.put(page, response)
  // Tabs of the build before may still load its code.
  await Promise.all((await listOthers()).slice(0, -1).map((name) => caches.delete(name)))
}

/** The caches of other builds, oldest first. */
const listOthers = async () => (await caches.keys()).filter((name) => name.startsWith(CACHES) && name !== CACHE)

/** Until all files of this build are kept, the build before is opened. */
async function findPage() {
  const names = [...(await listOthers()), CACHE]
  const pages = names.map(async (name) => (await caches.open(name)).match(page, { ignoreVary: true }))
  return (await Promise.all(pages)).findLast((found) => found)
}

self.addEventListener('fetch', (event) => {
  const { method, mode, url } = event.request
  const { origin, pathname } = new URL(url)
  if (method !== 'GET' || origin !== self.location.origin) return
  if (mode === 'navigate' && appPaths.test(pathname)) event.respondWith(openPage(event))
  else if (pathname.startsWith('/assets/')) event.respondWith(loadFile(event, pathname))
})

/** The page as the server sends it, or else as it is kept. */
async function openPage(event) {
  const sent = loadPage(event)
  event.waitUntil(sent.catch(() => undefined))
  const inTime = await Promise.race([sent.catch(() => undefined), sleep(MAX_WAIT_MS)])
  if (inTime && !UNAVAILABLE.includes(inTime.status)) return inTime
  return (await findPage()) ?? sent
}

const loadPage = async ({ preloadResponse, request }) => (await preloadResponse) ?? fetch(request)
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

async function loadFile(event, pathname) {
  const { request } = event
  const kept = await caches.match(request, { ignoreVary: true }).catch(() => undefined)
  if (kept) return kept
  const response = await fetch(request)
  if (response.ok && laterPaths.has(pathname))
    event.waitUntil(keepFile(request, response.clone()).catch(() => undefined))
  return response
}

const keepFile = async (request, response) => (await caches.open(CACHE)).put(request, response)

self.addEventListener('push', (event) => {
  const { title, body, path, tag } = event.data.json()
  event.waitUntil(
    self.registration.showNotification(title, {
      body,
      tag,
      renotify: true,
      icon: '/avatars/256/0-P.svg',
      data: { path },
    }),
  )
})

self.addEventListener('notificationclick', (event) => {
  event.notification.close()
  event.waitUntil(open(new URL(event.notification.data.path, self.location.origin)))
})

/** In a tab of the app if there is one, else in a new one. */
async function open(url) {
  if (url.origin !== self.location.origin) return
  const tabs = await self.clients.matchAll({ type: 'window', includeUncontrolled: true })
  const tab = tabs.find((each) => each.url === url.href) ?? tabs[0]
  if (!tab) return self.clients.openWindow(url.href)
  await tab.focus()
  if (tab.url !== url.href) tab.postMessage({ type: 'open', path: url.pathname + url.search + url.hash })
}
