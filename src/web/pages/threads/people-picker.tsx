import * as Ariakit from '@ariakit/react'
import { useRef, useState } from 'react'
import { fold } from '../../../contract/browser/fold'
import type { Author } from '../../../contract/shapes'
import { useMe } from '../../data/me'
import { useMentionable } from '../../data/mentions'
import { Avatar } from '../../parts/avatar'
import { Icon } from '../../parts/icon'

interface Props {
  people: Author[]
  pick(people: Author[]): void
  disabledReason: string | undefined
}

/** Picks members and apps by part of their name. */
export function PeoplePicker({ people, pick, disabledReason }: Props) {
  const [text, type] = useState('')
  const { author } = useMe()
  const { data, isPlaceholderData } = useMentionable(text.trim())
  // Until the results are for this text, Enter must not choose a result for the previous text.
  const isFound = ({ name }: Author) => !isPlaceholderData || fold(name).includes(fold(text))
  const found = (data ?? []).filter((person) => person.id !== author.id && isFound(person))
  const field = useRef<HTMLInputElement>(null)
  const remove = (id: string) => {
    pick(people.filter((person) => person.id !== id))
    field.current!.focus()
  }

  return (
    <Ariakit.ComboboxProvider
      value={text}
      setValue={type}
      selectedValue={people.map(({ id }) => id)}
      setSelectedValue={(ids) => pick(ids.map((id) => [...people, ...found].find((person) => person.id === id)!))}
      resetValueOnSelect
    >
      <div className="field">
        <Ariakit.ComboboxLabel className="label">To</Ariakit.ComboboxLabel>
        <div className="people">
          {people.map((person) => (
            <span key={person.id} className="chip person">
              <Avatar of={person} size={20} />
              {person.name}
              <button type="button" aria-label={`Remove ${person.name}`} onClick={() => remove(person.id)}>
                <Icon name="close" size={12} />
              </button>
            </span>
          ))}
          <Ariakit.Combobox
            ref={field}
            className="people-input"
            placeholder={people.length > 0 ? '' : 'Name or e-mail address'}
            // Without a name, Enter chooses nobody.
            autoSelect={text !== ''}
            autoFocus={people.length === 0}
            disabled={disabledReason !== undefined}
            title={disabledReason}
            onKeyDown={(event) => {
              if (event.key === 'Backspace' && text === '' && people.length > 0) pick(people.slice(0, -1))
            }}
          />
        </div>
      </div>
      <Ariakit.ComboboxPopover className="menu" gutter={4} sameWidth portal aria-label="People" unmountOnHide>
        {found.map((person) => (
          <Ariakit.ComboboxItem key={person.id} value={person.id} focusOnHover hideOnClick className="menu-item">
            <Avatar of={person} size={20} />
            <span className="person-name">{person.name}</span>
            {person.type === 'app' && <span className="chip">App</span>}
            <Ariakit.ComboboxItemCheck />
          </Ariakit.ComboboxItem>
        ))}
        {data && !isPlaceholderData && found.length === 0 && <p className="meta menu-note">No results for “{text}”</p>}
      </Ariakit.ComboboxPopover>
    </Ariakit.ComboboxProvider>
  )
}
