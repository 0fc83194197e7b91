import * as Ariakit from '@ariakit/react'
import { useDeferredValue, useState } from 'react'
import type { Author } from '../../../contract/shapes'
import { usePeopleSearch } from '../../data/channel-members'
import { Avatar } from '../../parts/avatar'

interface Props {
  label: string
  disabledReason: string | undefined
  isIn: Set<string>
  /** Closes the results after each pick, where they would cover the people who were picked. */
  hidesOnPick?: boolean
  /** Offers no apps. */
  membersOnly?: boolean
  pick(who: Author): void
}

/** Finds members and apps by name, and adds them one by one. */
export function PersonPicker({ label, disabledReason, isIn, hidesOnPick = false, membersOnly = false, pick }: Props) {
  const [text, setText] = useState('')
  const [isOpen, setOpen] = useState(false)
  const q = useDeferredValue(text.trim())
  const found = usePeopleSearch(q, isOpen)
  const people = membersOnly ? found.data?.filter(({ type }) => type === 'member') : found.data
  const choose = (who: Author) => {
    setText('')
    pick(who)
  }
  return (
    <Ariakit.ComboboxProvider value={text} setValue={setText} open={isOpen} setOpen={setOpen} resetValueOnHide>
      <div className="field">
        <Ariakit.ComboboxLabel>{label}</Ariakit.ComboboxLabel>
        <Ariakit.Combobox
          className="input"
          placeholder="Name or e-mail address"
          autoSelect
          disabled={disabledReason !== undefined}
          accessibleWhenDisabled
          title={disabledReason}
        />
        {disabledReason && <p className="hint">{disabledReason}</p>}
      </div>
      <Ariakit.ComboboxPopover
        className="menu picker"
        gutter={4}
        sameWidth
        fixed
        aria-label={membersOnly ? 'Members' : 'Members and apps'}
      >
        {people?.map(({ note, ...who }) => (
          <Ariakit.ComboboxItem
            key={who.id}
            className="menu-item"
            value={who.name}
            setValueOnClick={false}
            hideOnClick={hidesOnPick}
            disabled={isIn.has(who.id)}
            onClick={() => choose(who)}
          >
            <Avatar of={who} />
            <span className="picked-name">{who.name}</span>
            <span className="meta picked-note">{isIn.has(who.id) ? 'Already a member' : note}</span>
          </Ariakit.ComboboxItem>
        ))}
        {people?.length === 0 && <p className="menu-item meta">No results for “{q}”</p>}
      </Ariakit.ComboboxPopover>
    </Ariakit.ComboboxProvider>
  )
}
