import * as Ariakit from '@ariakit/react'
import { useState } from 'react'
import { useMentionable } from '../../data/authors'
import { Avatar } from '../../parts/avatar'
import { useEditedText } from '../../parts/use-edited-text'

interface Props {
  value: string | undefined
  choose(value: string | undefined): void
}

/** Finds a member or app by name. An empty field stands for everyone. */
export function AuthorFilter({ value = '', choose }: Props) {
  const [text, setText] = useEditedText(value)
  const [isOpen, setOpen] = useState(false)
  const typed = text === value ? '' : text.trim()
  const { data } = useMentionable(isOpen ? typed : undefined)
  const leave = () => {
    if (text.trim() === '' && value) choose(undefined)
    else setText(value)
  }
  return (
    <Ariakit.ComboboxProvider value={text} setValue={setText} open={isOpen} setOpen={setOpen}>
      <Ariakit.Combobox
        className="pill"
        aria-label="Author"
        placeholder="Anyone"
        data-chosen={value !== '' || undefined}
        autoSelect
        onBlur={leave}
      />
      <Ariakit.ComboboxPopover className="menu" gutter={4} portal aria-label="Authors" unmountOnHide>
        {value && (
          <Ariakit.ComboboxItem className="menu-item" setValueOnClick={false} onClick={() => choose(undefined)}>
            Anyone
          </Ariakit.ComboboxItem>
        )}
        {data?.map((author) => (
          <Ariakit.ComboboxItem
            key={author.id}
            className="menu-item"
            setValueOnClick={false}
            onClick={() => choose(author.name)}
          >
            <Avatar of={author} size={20} />
            {author.name}
          </Ariakit.ComboboxItem>
        ))}
        {data?.length === 0 && <p className="meta menu-item">No results for “{text}”</p>}
      </Ariakit.ComboboxPopover>
    </Ariakit.ComboboxProvider>
  )
}
