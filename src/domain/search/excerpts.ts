import type { Excerpt, Highlight } from '../../contract/search'
import { findOccurrences, type Occurrence } from './spelling'
import type { Terms } from './terms'
import { type GraphemeAt, graphemesOf } from './tokens'

/** A text of a record. */
export interface SearchedField {
  field: Excerpt['field']
  text: string
}

interface MatchedField extends SearchedField {
  occurrences: Occurrence[]
  graphemeAt: GraphemeAt
}

const ELLIPSIS = '…'

/**
 * Shows why a record was found: the title if something in it matches, and up to three passages of the other texts, or their
 * beginning if nothing in them matches.
 */
export function makeExcerpts(terms: Terms, fields: readonly SearchedField[]): Excerpt[] {
  const matched = fields.map((field) => matchField(terms, field))
  const titles = matched.filter(({ field, occurrences }) => field === 'title' && occurrences.length > 0)
  const texts = matched.filter(({ field, text }) => field !== 'title' && text !== '')
  const passages = choosePassages(texts)
  return [
    ...titles.map((title) => excerptOf(title, { start: 0, end: title.text.length })),
    ...passages.map((passage) => excerptOf(texts[passage.text]!, passage)),
    ...(passages.length === 0 ? texts.slice(0, 1).map(beginningOf) : []),
  ]
}

function matchField({ all }: Terms, { field, text }: SearchedField): MatchedField {
  const collapsed = text.replace(/\s+/g, ' ').trim()
  const terms = field === 'title' ? all : all.filter(({ inTitle }) => !inTitle)
  return { field, text: collapsed, occurrences: findOccurrences(terms, collapsed), graphemeAt: graphemesOf(collapsed) }
}

const beginningOf = (field: MatchedField) =>
  excerptOf(field, { start: 0, end: Math.min(field.text.length, PASSAGE_LENGTH) })

function excerptOf(field: MatchedField, passage: Highlight): Excerpt {
  const { text, occurrences } = field
  const within = occurrences.filter(({ start, end }) => start < passage.end && end > passage.start)
  const { start, end } = cutPassage(field, passage, within)
  const before = start > 0 ? ELLIPSIS : ''
  const after = end < text.length ? ELLIPSIS : ''
  const shift = before.length - start
  return {
    field: field.field,
    text: before + text.slice(start, end) + after,
    highlights: mergeHighlights(within.flatMap((found) => clip(found, { start, end }, field.graphemeAt))).map(
      (highlight) => ({ start: highlight.start + shift, end: highlight.end + shift }),
    ),
  }
}

/** The part of a match within a passage, extended to whole characters. */
function clip(found: Highlight, passage: Highlight, graphemeAt: GraphemeAt): Highlight[] {
  if (found.start >= passage.end || found.end <= passage.start) return []
  const start = Math.max(passage.start, graphemeAt(found.start).start)
  const end = Math.min(passage.end, graphemeAt(found.end - 1).end)
  return [{ start, end }]
}

/** Merges ranges that touch or overlap. */
function mergeHighlights(highlights: readonly Highlight[]): Highlight[] {
  const merged: Highlight[] = []
  for (const { start, end } of highlights) {
    const last = merged.at(-1)
    if (last && start <= last.end) last.end = Math.max(last.end, end)
    else merged.push({ start, end })
  }
  return merged
}

interface Range {
  start: number
  end: number
}

/** A space is looked for so far from the place to cut at; where there is none, the cut is between characters. */
const MAX_WORD = 24

/** Makes a passage shorter, so that it begins and ends with whole words, and keeps its matches. */
function cutPassage(
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

interface Passage {
  /** Which of the texts it is a part of. */
  text: number
  start: number
  end: number
}

const MAX_PASSAGES = 3
/** About how many UTF-16 units it has. */
const PASSAGE_LENGTH = 160
/** How much a passage shows before its first match, at most. */
const LEAD = 40
/** Matches that are no further apart are shown in one passage. */
const REACH = PASSAGE_LENGTH - LEAD

interface SearchedText {
  text: string
  occurrences: readonly Occurrence[]
}

/** Matches that fit into one passage. */
interface Group extends Passage {
  terms: number
  score: number
}

/** The passages with the most different terms. Terms that no chosen passage shows yet count more; of equals, the earliest wins. */
export function choosePassages(texts: readonly SearchedText[]): Passage[] {
  const chosen: Passage[] = []
  let shown = 0
  while (chosen.length < MAX_PASSAGES) {
    const best = findBest(texts, chosen, shown)
    if (!best) break
    shown |= best.terms
    chosen.push(surround(texts[best.text]!.text.length, best, chosen))
  }
  return chosen.sort((a, b) => a.text - b.text || a.start - b.start)
}

function findBest(texts: readonly SearchedText[], chosen: readonly Passage[], shown: number): Group | undefined {
  const everything = texts.reduce((terms, { occurrences }) => terms | termsOf(occurrences), 0)
  const bestPossible = score(everything, shown)
  let best: Group | undefined
  for (const [text, { occurrences }] of texts.entries()) {
    const taken = chosen.filter((passage) => passage.text === text)
    const termsFrom = openReach(occurrences, taken)
    for (let first = 0; first < occurrences.length; first++) {
      const terms = termsFrom(first)
      const points = score(terms, shown)
      if (terms === 0 || (best && points <= best.score)) continue
      best = { ...groupFrom(occurrences, first, everything, taken), text, score: points }
      if (points === bestPossible) return best
    }
  }
  return best
}

const termsOf = (occurrences: readonly Occurrence[]) => occurrences.reduce((terms, { term }) => terms | (1 << term), 0)

const score = (terms: number, shown: number) => 32 * countBits(terms & ~shown) + countBits(terms)

function countBits(bits: number): number {
  let count = 0
  for (let left = bits; left !== 0; left &= left - 1) count += 1
  return count
}

const isTaken = ({ start, end }: Occurrence, taken: readonly Passage[]) =>
  taken.some((passage) => start < passage.end && end > passage.start)

/**
 * The terms of the matches from one on that are within reach of it; none if it is taken. To be asked of one match after the
 * other: each is only looked at when it comes into reach and when it leaves it.
 */
function openReach(occurrences: readonly Occurrence[], taken: readonly Passage[]): (first: number) => number {
  const counts = new Uint32Array(32)
  let terms = 0
  let reached = 0
  const enter = (term: number) => {
    if (counts[term]!++ === 0) terms |= 1 << term
  }
  const leave = (term: number) => {
    if (--counts[term]! === 0) terms &= ~(1 << term)
  }
  return (first) => {
    if (first > 0 && first - 1 < reached) leave(occurrences[first - 1]!.term)
    if (isTaken(occurrences[first]!, taken)) return 0
    if (reached <= first) {
      enter(occurrences[first]!.term)
      reached = first + 1
    }
    const end = occurrences[first]!.start + REACH
    for (; reached < occurrences.length && !isBeyond(occurrences[reached]!, end, taken); reached++)
      enter(occurrences[reached]!.term)
    return terms
  }
}

const isBeyond = (next: Occurrence, end: number, taken: readonly Passage[]) => next.end > end || isTaken(next, taken)

/** The matches from this one on that are within reach of it; no more of them than show all terms. */
function groupFrom(occurrences: readonly Occurrence[], first: number, everything: number, taken: readonly Passage[]) {
  const { start } = occurrences[first]!
  let { end } = occurrences[first]!
  let terms = 0
  for (let at = first; at < occurrences.length && terms !== everything; at++) {
    const next = occurrences[at]!
    if (at > first && isBeyond(next, start + REACH, taken)) break
    terms |= 1 << next.term
    end = Math.max(end, next.end)
  }
  return { start, end, terms }
}

/** A group with the text around it, up to the passages that are chosen already. */
function surround(length: number, { text, start, end }: Group, chosen: readonly Passage[]): Passage {
  const others = chosen.filter((passage) => passage.text === text)
  const min = Math.max(0, ...others.map((passage) => passage.end).filter((otherEnd) => otherEnd <= start))
  const max = Math.min(length, ...others.map((passage) => passage.start).filter((otherStart) => otherStart >= end))
  const spare = Math.max(0, PASSAGE_LENGTH - (end - start))
  const from = Math.max(min, start - Math.min(LEAD, Math.floor(spare / 2)))
  const to = Math.min(max, from + PASSAGE_LENGTH)
  return { text, start: Math.max(min, Math.min(from, to - PASSAGE_LENGTH)), end: to }
}
