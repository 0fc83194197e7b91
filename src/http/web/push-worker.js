// Shows notifications and opens what they are about, and nothing else.
self.addEventListener('install', () => self.skipWaiting())
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()))

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
