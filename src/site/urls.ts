/** Where the pages of the documentation are. */
export const HOME = '/docs'
export const guideUrl = (slug: string) => `${HOME}/${slug}`
export const nounUrl = (noun: string) => `${HOME}/reference/${noun}`
export const operationUrl = (name: string) => `${nounUrl(name.split('.')[0]!)}#${name}`
export const OBJECTS = nounUrl('objects')
export const objectUrl = (name: string) => `${OBJECTS}#${name}`
export const EVENT_TYPES = nounUrl('event-types')
export const assetUrl = (name: string) => `${HOME}/assets/${name}`
/** Loaded with the first search. */
export const SEARCH_INDEX = assetUrl('search.json')
