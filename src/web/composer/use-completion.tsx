import * as Ariakit from '@ariakit/react'
import { type KeyboardEvent, type RefObject, useEffect, useId, useLayoutEffect, useState } from 'react'
import { formatCount } from '../parts/format-count'
import { measureCharacter } from './character-rect'
import { type Completable, type Completion, findTrigger, insertNamedEmoji, type Trigger } from './completions'
import { replaceRange } from './editing'
import { useEmojiCompletions } from './use-emoji-completions'
import { useMentionCompletions } from './use-mention-completions'

const names: Record<Completable, { list: string; verb: string }> = {
  mention: { list: 'Mention suggestions', verb: 'mention' },
  emoji: { list: 'Emoji suggestions', verb: 'insert' },
}

/** Completes `@` with members and apps, and `:` with emoji. */
export function useCompletion(area: RefObject<HTMLTextAreaElement | null>) {
  const store = Ariakit.useComboboxStore({ placement: 'bottom-start' })
  const [trigger, setTrigger] = useState<Trigger>()
  const close = () => setTrigger(undefined)
  const queryOf = (kind: Completable) => (trigger?.kind === kind ? trigger.query : undefined)
  const mentions = useMentionCompletions(queryOf('mention'), close)
  const emoji = useEmojiCompletions(queryOf('emoji'))
  const found = trigger === undefined ? [] : trigger.kind === 'mention' ? mentions : emoji
  const isOpen = found.length > 0
  useLayoutEffect(() => store.setOpen(isOpen), [store, isOpen])
  useEffect(store.render, [store, trigger])

  const base = useId()
  const itemId = (id: string) => `${base}-${id}`
  function insert(completion: Completion) {
    replaceRange(area.current!, trigger!.at, area.current!.selectionStart, `${completion.toText()} `)
    close()
  }
  const popover = (
    <>
      <p className="visually-hidden" role="status">
        {isOpen &&
          `${formatCount(found.length, 'suggestion')}. Press Enter to ${names[trigger!.kind].verb} ${found[0]!.label}, or the arrow keys to choose.`}
      </p>
      <Ariakit.ComboboxPopover
        store={store}
        className="menu completions"
        aria-label={names[trigger?.kind ?? 'mention'].list}
        hidden={!isOpen}
        unmountOnHide
        fixed
        gutter={4}
        fitViewport
        getAnchorRect={() => (area.current && trigger ? measureCharacter(area.current, trigger.at) : null)}
      >
        {found.map((completion) => (
          <Ariakit.ComboboxItem
            key={completion.id}
            id={itemId(completion.id)}
            value={completion.label}
            setValueOnClick={false}
            focusOnHover
            className="menu-item"
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => insert(completion)}
          >
            {completion.content}
          </Ariakit.ComboboxItem>
        ))}
      </Ariakit.ComboboxPopover>
    </>
  )
  const key = ({ key: pressed }: KeyboardEvent) => {
    if (pressed === 'Enter' || pressed === 'Tab') {
      const { activeId } = store.getState()
      insert(found.find(({ id }) => itemId(id) === activeId) ?? found[0]!)
      return true
    }
    if (pressed === 'Escape' || pressed === 'ArrowLeft' || pressed === 'ArrowRight') close()
    return pressed === 'Escape'
  }
  function update() {
    setTrigger(findTrigger(area.current!))
    void insertNamedEmoji(area.current!)
  }
  return { store, isOpen, close, key, popover, update }
}
