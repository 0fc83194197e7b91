import { navigate } from 'wouter/use-browser-location'

/** A notification that was clicked opens its page in a tab that is there already. */
export function openNotifiedPages() {
  navigator.serviceWorker?.addEventListener('message', ({ data }) => {
    if (data?.type === 'open') navigate(String(data.path))
  })
}
