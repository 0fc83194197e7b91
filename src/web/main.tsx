import { QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app'
import { cache } from './data/parley'
import { applyTheme } from './data/theme'
import { openNotifiedPages } from './shell/notified-pages'
import { trackHistory } from './shell/scroll-positions'

applyTheme()
trackHistory()
openNotifiedPages()
createRoot(document.getElementById('app')!).render(
  <StrictMode>
    <QueryClientProvider client={cache}>
      <App />
    </QueryClientProvider>
  </StrictMode>,
)
