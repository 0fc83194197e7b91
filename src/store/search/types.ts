import type { SearchType } from '../../contract/search'

/** The types of records as the index stores them. */
export const typeNumbers = { post: 1, comment: 2, message: 3 } as const satisfies Record<SearchType, number>

const names = Object.fromEntries(Object.entries(typeNumbers).map(([name, number]) => [number, name]))

export const typeNamed = (number: number): SearchType => names[number] as SearchType

/** The words that narrow a search down. They begin with a capital, which no word of a text does. */
export const scopeWords = {
  workspace: (key: number) => `W${key}`,
  channel: (key: number) => `C${key}`,
  thread: (key: number) => `D${key}`,
  author: (key: number) => `A${key}`,
  type: (type: SearchType) => `K${type}`,
}
