import type { GraphemeAt } from './graphemes'

interface Range {
  start: number
  end: number
}

/** A space is looked for so far from the place to cut at; where there is none, the cut is between characters. */
const MAX_WORD = 24

/** Makes a passage shorter, so that it begins and ends with whole words, and keeps its matches. */
export function cutPassage(
  { text, graphemeAt }: { text: string; graphemeAt: GraphemeAt },
  { start, end }: Range,
  matches: readonly Range[],
): Range {
  const firstMatch = matches.find((match) => match.start >= start)?.start ?? end
  const lastMatch = matches.reduce((last, match) => (match.end <= end ? Math.max(last, match.end) : last), start)
  return {
    start: start === 0 ? 0 : cutStart(text, start, firstMatch, graphemeAt),
    end: end === text.length ? end : cutEnd(text, end, lastMatch, graphemeAt),
  }
}

function cutStart(text: string, at: number, max: number, graphemeAt: GraphemeAt): number {
  const space = text.slice(at - 1, Math.min(at + MAX_WORD, max)).indexOf(' ')
  if (space >= 0) return at + space
  const { start, end } = graphemeAt(at)
  return start === at || end > max ? start : end
}

function cutEnd(text: string, at: number, min: number, graphemeAt: GraphemeAt): number {
  const from = Math.max(at - MAX_WORD, min)
  const space = text.slice(from, at + 1).lastIndexOf(' ')
  return space >= 0 ? from + space : graphemeAt(at).start
}
