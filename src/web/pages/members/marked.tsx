import { whereFound } from '../../data/where-found'

/** A text with what was searched marked in it. */
export function Marked({ text, searched }: { text: string; searched: string | undefined }) {
  const found = searched ? whereFound(text, searched) : undefined
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
