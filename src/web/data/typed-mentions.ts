import type { Author } from '../../contract/shapes'
import { findAuthors, MAX_RESULTS } from './authors'
import { mapOutsideCode } from './code-ranges'
import { isNameKnown, rememberName, startsWithName } from './mentions'

/** Words of a name: a longer name is found by its start. */
const MAX_WORDS = 3
/** More are not looked up. */
const MAX_LOOKED_UP = 20
const TYPED = /(?<![\p{L}\p{N}_<])@(?=[\p{L}\p{N}])/gu

/** Looks up who is mentioned by a full name that was typed by hand, so that `toMarkdown` knows them. */
export async function rememberTypedMentions(text: string): Promise<void> {
  const typed = listTyped(text).slice(0, MAX_LOOKED_UP)
  for (const author of await Promise.all(typed.map(findMentioned))) if (author) rememberName(author.id, author.name)
}

/** The texts after each `@` that is not yet known to be a mention. */
function listTyped(text: string): string[] {
  const found = new Set<string>()
  mapOutsideCode(text, (part) => {
    for (const { index } of part.matchAll(TYPED)) {
      const line = part.slice(index + 1).split('\n', 1)[0]!
      if (!isNameKnown(line)) found.add(line.slice(0, 200))
    }
    return part
  })
  return [...found]
}

/** The one whose full name the text starts with; undefined if there is nobody, or more than one of that name. */
async function findMentioned(text: string): Promise<Author | undefined> {
  const words = text.split(' ').slice(0, MAX_WORDS)
  const queries = words.map((_, at) =>
    words
      .slice(0, at + 1)
      .join(' ')
      .replace(/[^\p{L}\p{N}]+$/u, ''),
  )
  const pages = await Promise.all([...new Set(queries)].map(findAuthors))
  // In a full page there may be more of the same name than it shows.
  const found = pages.filter((page) => page.length < MAX_RESULTS).flat()
  const named = found.filter(({ name }) => startsWithName(text, name))
  const longest = named.reduce((name, author) => (author.name.length > name.length ? author.name : name), '')
  const ids = new Set(named.filter(({ name }) => name === longest).map(({ id }) => id))
  return ids.size === 1 ? named.find(({ name }) => name === longest) : undefined
}
