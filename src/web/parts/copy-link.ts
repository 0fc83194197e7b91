import { notify } from './notices'

/** Copies the URL of a page, and says so, since it is not visible otherwise. */
export async function copyLink(path: string) {
  const url = location.origin + path
  try {
    await navigator.clipboard.writeText(url)
    notify('Link copied')
  } catch {
    notify(url)
  }
}
