import { findMatch } from '../../data/find-match'

/** Highlights a query in a text. */
export function Highlight({ text, query }: { text: string; query: string | undefined }) {
  const found = query ? findMatch(text, query) : undefined
  if (!found) return text
  const [from, to] = found
  return (
    <>
      {text.slice(0, from)}
      <mark>{text.slice(from, to)}</mark>
      {text.slice(to)}
    </>
  )
}
