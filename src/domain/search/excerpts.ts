import type { Excerpt, Highlight } from '../../contract/search'
import { cutPassage } from './cuts'
import { type GraphemeAt, graphemesOf } from './graphemes'
import { findOccurrences, type Occurrence } from './occurrences'
import { choosePassages, PASSAGE_LENGTH } from './passages'
import type { Terms } from './terms'

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
 * What shows why a record was found: the title if something in it matches, and up to three passages of the other texts. If
 * nothing in those matches, their beginning.
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

/** What of a match is in a passage, extended to whole characters. */
function clip(found: Highlight, passage: Highlight, graphemeAt: GraphemeAt): Highlight[] {
  if (found.start >= passage.end || found.end <= passage.start) return []
  const start = Math.max(passage.start, graphemeAt(found.start).start)
  const end = Math.min(passage.end, graphemeAt(found.end - 1).end)
  return [{ start, end }]
}

/** Those that touch or overlap become one. */
function mergeHighlights(highlights: readonly Highlight[]): Highlight[] {
  const merged: Highlight[] = []
  for (const { start, end } of highlights) {
    const last = merged.at(-1)
    if (last && start <= last.end) last.end = Math.max(last.end, end)
    else merged.push({ start, end })
  }
  return merged
}
