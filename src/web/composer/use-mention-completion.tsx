import * as Ariakit from '@ariakit/react'
import { type KeyboardEvent, type RefObject, useEffect, useId, useLayoutEffect, useState } from 'react'
import type { Author } from '../../contract/authors'
import { fold } from '../../contract/fold'
import { useMentionable } from '../data/authors'
import { rememberName } from '../data/mentions'
import { Avatar } from '../parts/avatar'
import { formatCount } from '../parts/format-count'
import { measureCharacter } from './character-rect'
import { replaceRange } from './editing'

/** The unfinished mention before the caret. */
function findMention(area: HTMLTextAreaElement): { at: number; query: string } | undefined {
  const before = area.value.slice(0, area.selectionStart)
  const [whole, query] =
    before.match(/(?<=^|[\s([{"'*_])@([\p{L}\p{N}.'-]{0,40}(?: [\p{L}\p{N}.'-]{0,40}){0,2})$/u) ?? []
  return whole === undefined ? undefined : { at: before.length - whole.length, query: query! }
}

/** Completes `@` with members and apps. */
export function useMentionCompletion(area: RefObject<HTMLTextAreaElement | null>) {
  const store = Ariakit.useComboboxStore({ placement: 'bottom-start' })
  const [mention, setMention] = useState<{ at: number; query: string }>()
  const { data, isPlaceholderData } = useMentionable(mention?.query)
  const found = mention && data ? rankMatches(data, mention.query) : []
  const isOpen = found.length > 0
  useLayoutEffect(() => store.setOpen(isOpen), [store, isOpen])
  useEffect(store.render, [store, mention])

  const base = useId()
  const itemId = (id: string) => `${base}-${id}`
  const close = () => setMention(undefined)
  // A space after a completed name ends the mention.
  useEffect(() => {
    if (data?.length === 0 && !isPlaceholderData && mention?.query.includes(' ')) setMention(undefined)
  }, [data, isPlaceholderData, mention])

  function insertMention({ id, name }: Author) {
    replaceRange(area.current!, mention!.at, area.current!.selectionStart, `@${rememberName(id, name)} `)
    close()
  }
  const popover = (
    <>
      <p className="visually-hidden" role="status">
        {isOpen &&
          `${formatCount(found.length, 'suggestion')}. Press Enter to mention ${found[0]!.name}, or the arrow keys to choose.`}
      </p>
      <Ariakit.ComboboxPopover
        store={store}
        className="menu mentionable"
        aria-label="Mention suggestions"
        hidden={!isOpen}
        unmountOnHide
        fixed
        gutter={4}
        fitViewport
        getAnchorRect={() => (area.current && mention ? measureCharacter(area.current, mention.at) : null)}
      >
        {found.map((author) => (
          <Ariakit.ComboboxItem
            key={author.id}
            id={itemId(author.id)}
            value={author.name}
            setValueOnClick={false}
            focusOnHover
            className="menu-item"
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => insertMention(author)}
          >
            <Avatar of={author} size={20} />
            <span>{author.name}</span>
            {author.type === 'app' && <span className="chip">App</span>}
          </Ariakit.ComboboxItem>
        ))}
      </Ariakit.ComboboxPopover>
    </>
  )
  const key = ({ key: pressed }: KeyboardEvent) => {
    if (pressed === 'Enter' || pressed === 'Tab') {
      const { activeId } = store.getState()
      insertMention(found.find(({ id }) => itemId(id) === activeId) ?? found[0]!)
      return true
    }
    if (pressed === 'Escape' || pressed === 'ArrowLeft' || pressed === 'ArrowRight') close()
    return pressed === 'Escape'
  }
  return { store, isOpen, close, key, popover, update: () => setMention(findMention(area.current!)) }
}

const MAX_SHOWN = 8

/** Filters by name. Names that start with the query come first. */
function rankMatches(authors: Author[], query: string): Author[] {
  const typed = fold(query)
  const rank = ({ name }: Author) => ` ${fold(name)}`.indexOf(` ${typed}`)
  const found = authors.filter(({ name }) => fold(name).includes(typed))
  const order = (author: Author) => (rank(author) === 0 ? 0 : rank(author) > 0 ? 1 : 2)
  return found.sort((a, b) => order(a) - order(b)).slice(0, MAX_SHOWN)
}
