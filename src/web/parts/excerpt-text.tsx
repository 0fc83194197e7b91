import type { ReactNode } from 'react'
import type { Excerpt } from '../../contract/search'

/** Plain text in which the matches are marked. */
export function ExcerptText({ excerpt: { text, highlights } }: { excerpt: Excerpt }) {
  const pieces: ReactNode[] = []
  let at = 0
  for (const { start, end } of highlights) {
    pieces.push(text.slice(at, start), <mark key={start}>{text.slice(start, end)}</mark>)
    at = end
  }
  return (
    <>
      {pieces}
      {text.slice(at)}
    </>
  )
}
