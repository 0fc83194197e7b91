import { notify } from './notices'

export async function copyText(text: string) {
  await navigator.clipboard.writeText(text)
  notify('The text was copied.')
}

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
