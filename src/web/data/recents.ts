import { getRecordSection } from '../paths'
import { createStoredValue } from './storage'

export interface Recent {
  path: string
  title: string
}

/** What was opened lately, the latest first. */
const recents = createStoredValue<Recent[]>('recents', [])
const MAX_RECENTS = 20

export const getRecentPages = () => recents.get()

/** Remembers a page that is about one thing. */
export function rememberPage(path: string, title: string) {
  if (!getRecordSection(path)) return
  const others = recents.get().filter((recent) => recent.path !== path)
  recents.set([{ path, title }, ...others].slice(0, MAX_RECENTS))
}

/** Forgets a page where nothing is any more. */
export const forgetPage = (path: string) => recents.set(recents.get().filter((recent) => recent.path !== path))
