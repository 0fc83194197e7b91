import { notify } from './notices'

/** Copies the address of something in this workspace. It cannot be seen, so it is said. */
export async function copyLink(path: string) {
  const url = location.origin + path
  try {
    await navigator.clipboard.writeText(url)
    notify('Link copied')
  } catch {
    notify(url)
  }
}
