import { getRecordSection } from '../paths'
import { createStoredValue } from './storage'

export interface Recent {
  path: string
  title: string
}

/** Recently opened pages, latest first. */
const recents = createStoredValue<Recent[]>('recents', [])
const MAX_RECENTS = 20

export const getRecentPages = () => recents.get()

/** Remembers a page that shows one record. */
export function rememberPage(path: string, title: string) {
  if (!getRecordSection(path)) return
  const others = recents.get().filter((recent) => recent.path !== path)
  recents.set([{ path, title }, ...others].slice(0, MAX_RECENTS))
}

/** Forgets a page whose record does not exist any more. */
export const forgetPage = (path: string) => recents.set(recents.get().filter((recent) => recent.path !== path))
