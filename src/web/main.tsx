import { QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { navigate } from 'wouter/use-browser-location'
import { App, preloadPage } from './app'
import { cache } from './data/cache/parley'
import { applyTheme } from './data/theme'
import { trackHistory } from './shell/scroll-positions'

/** A notification that was clicked opens its page in a tab that is there already. */
function openNotifiedPages() {
  navigator.serviceWorker?.addEventListener('message', ({ data }) => {
    if (data?.type === 'open') navigate(String(data.path))
  })
}

applyTheme()
trackHistory()
openNotifiedPages()
void start()

async function restoreKept() {
  const kept = await window.kept
  if (!kept) return
  const [{ restore }] = await Promise.all([import('./data/cache/kept'), preloadPage(location.pathname)])
  restore(kept)
}

async function start() {
  // Whatever is wrong with what was kept, the app opens without it.
  await restoreKept().catch(reportError)
  createRoot(document.getElementById('app')!).render(
    <StrictMode>
      <QueryClientProvider client={cache}>
        <App />
      </QueryClientProvider>
    </StrictMode>,
  )
}
