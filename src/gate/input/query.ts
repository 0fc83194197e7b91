/** What a plain split would get wrong: escapes, and a leading question mark. */
const SPECIAL = /^\?|[%+]/

/** The parameters of a query, each with all its values. */
export function parseQuery(query: string | undefined): Map<string, string[]> {
  const parameters = new Map<string, string[]>()
  if (!query) return parameters
  // `URLSearchParams` takes as long as all other handling of a query.
  const pairs = SPECIAL.test(query) ? new URLSearchParams(query) : query.split('&').filter(Boolean).map(pairOf)
  for (const [name, value] of pairs) {
    const given = parameters.get(name)
    if (given) given.push(value)
    else parameters.set(name, [value])
  }
  return parameters
}

function pairOf(text: string): [string, string] {
  const at = text.indexOf('=')
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)]
}
