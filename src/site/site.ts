import { type StaticFile, toStaticFile } from '../http/docs'
import { type Asset, assets } from './assets'
import { guidePage } from './guide-page'
import { homePage } from './home'
import { docsPage } from './layout'
import { eventTypesPage } from './reference/event-types'
import { nounPage } from './reference/nouns'
import { objectsPage } from './reference/objects'
import { buildSearchIndex } from './search-index'
import { EVENT_TYPES, HOME, OBJECTS, SEARCH_INDEX } from './urls'

/** The files of the documentation by path. Each is built when it is first requested, and kept. */
export function openSite(base: string) {
  const built = new Map<string, StaticFile>()
  return (path: string): StaticFile | undefined => {
    // Unknown paths are not kept: there is no end of them.
    const known = built.get(path)
    if (known) return known
    const file = assetAt(path) ?? searchAt(path) ?? pageAt(path, base)
    if (file) built.set(path, file)
    return file
  }
}

function assetAt(path: string): StaticFile | undefined {
  const asset = (Object.values(assets) as Asset[]).find(({ url }) => url === path)
  return asset && toStaticFile(asset.type, asset.content, 'immutable')
}

const searchAt = (path: string) =>
  path === SEARCH_INDEX ? toStaticFile('application/json', buildSearchIndex(), 'revalidated') : undefined

function pageAt(path: string, base: string): StaticFile | undefined {
  const parts = partsAt(path, base)
  return parts && toStaticFile('text/html; charset=utf-8', docsPage({ path, ...parts }), 'revalidated')
}

function partsAt(path: string, base: string) {
  if (path === HOME) return homePage(base)
  if (path === OBJECTS) return objectsPage()
  if (path === EVENT_TYPES) return eventTypesPage()
  const [, , first, second, ...others] = path.split('/')
  if (first === undefined || others.length > 0) return undefined
  if (second === undefined) return guidePage(first, base)
  return first === 'reference' ? nounPage(second, base) : undefined
}
