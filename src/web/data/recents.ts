import { getRecordSection } from '../paths'
import { stored } from './storage'

export interface Recent {
  path: string
  title: string
}

/** What was opened lately, the latest first. */
const recents = stored<Recent[]>('recents', [])
const MOST_RECENTS = 20

export const recentPages = () => recents.get()

/** Remembers a page that is about one thing. */
export function noteVisit(path: string, title: string) {
  if (!getRecordSection(path)) return
  const others = recents.get().filter((recent) => recent.path !== path)
  recents.set([{ path, title }, ...others].slice(0, MOST_RECENTS))
}

/** Forgets a page where nothing is any more. */
export const forgetVisit = (path: string) => recents.set(recents.get().filter((recent) => recent.path !== path))
