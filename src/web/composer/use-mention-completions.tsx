import { useEffect } from 'react'
import { fold } from '../../contract/browser/fold'
import type { Author } from '../../contract/shapes'
import { useMentionable } from '../data/authors'
import { rememberName } from '../data/mentions'
import { Avatar } from '../parts/avatar'
import type { Completion } from './completions'

const MAX_SHOWN = 8

/** Members and apps that match a mention being typed. */
export function useMentionCompletions(query: string | undefined, close: () => void): Completion[] {
  const { data, isPlaceholderData } = useMentionable(query)
  // A space after a completed name ends the mention.
  const isOver = data?.length === 0 && !isPlaceholderData && query?.includes(' ')
  useEffect(() => {
    if (isOver) close()
  })
  return query === undefined || !data ? [] : rankMatches(data, query).map(toCompletion)
}

const toCompletion = (author: Author): Completion => ({
  id: author.id,
  label: author.name,
  content: (
    <>
      <Avatar of={author} size={20} />
      <span>{author.name}</span>
      {author.type === 'app' && <span className="chip">App</span>}
    </>
  ),
  toText: () => `@${rememberName(author.id, author.name)}`,
})

/** Filters by name. Names that start with the query come first. */
function rankMatches(authors: Author[], query: string): Author[] {
  const typed = fold(query)
  const rank = ({ name }: Author) => ` ${fold(name)}`.indexOf(` ${typed}`)
  const found = authors.filter(({ name }) => fold(name).includes(typed))
  const order = (author: Author) => (rank(author) === 0 ? 0 : rank(author) > 0 ? 1 : 2)
  return found.sort((a, b) => order(a) - order(b)).slice(0, MAX_SHOWN)
}
