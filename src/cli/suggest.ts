/** The candidate that a word is probably a misspelling of, if any. */
export function suggest(
  word: string,
  candidates: readonly string[],
  maxDistance = Math.max(1, Math.floor(word.length / 3)),
): string | undefined {
  const ranked = candidates
    .map((candidate) => ({ candidate, distance: editDistance(word, candidate) }))
    .toSorted((a, b) => a.distance - b.distance)
  const [best] = ranked
  return best && best.distance <= maxDistance ? best.candidate : undefined
}

/** Damerau–Levenshtein distance. */
function editDistance(a: string, b: string): number {
  const rows = Array.from({ length: a.length + 1 }, (_, at) => [at, ...new Array<number>(b.length).fill(0)])
  rows[0] = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let i = 1; i <= a.length; i++)
    for (let j = 1; j <= b.length; j++) {
      const replaced = rows[i - 1]![j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      rows[i]![j] = Math.min(
        rows[i - 1]![j]! + 1,
        rows[i]![j - 1]! + 1,
        replaced,
        isSwapped ? rows[i - 2]![j - 2]! + 1 : replaced,
      )
    }
  return rows[a.length]![b.length]!
}
