/** Longer comments and messages are cut, so that neither one nor many of them can fill the context of a model. */
const MAX_LENGTH = 10_000
const MAX_TOTAL_LENGTH = 50_000

/** Cuts the longest of these texts, all to the same length, until they are short enough together. */
export function shortenAll(texts: readonly string[]): string[] {
  let limit = MAX_LENGTH
  let room = MAX_TOTAL_LENGTH
  const lengths = texts.map(({ length }) => length).sort((one, other) => one - other)
  for (const [at, length] of lengths.entries()) {
    limit = Math.min(MAX_LENGTH, Math.floor(room / (lengths.length - at)))
    if (length > limit) break
    room -= length
  }
  return texts.map((text) => shorten(text, limit))
}

const shorten = (text: string, limit: number): string =>
  text.length <= limit ? text : `${text.slice(0, limit).toWellFormed()} […${text.length - limit} more characters]`
