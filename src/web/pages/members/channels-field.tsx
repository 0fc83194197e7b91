import * as Ariakit from '@ariakit/react'
import { useRef, useState } from 'react'
import { fold } from '../../../contract/browser/fold'
import type { Channel } from '../../../contract/channels'
import { useChannel, useDefaultChannels, useOfferedChannels } from '../../data/channels'
import { findMatch } from '../../data/search'
import { Icon } from '../../parts/icon'
import { MarkedText } from '../../parts/marked-text'

interface Props {
  chosen: string[]
  choose(ids: string[]): void
  isForGuests: boolean
  error?: string
}

const MAX_SHOWN = 50

/** Channels as chips, found by a part of their name. */
export function ChannelsField({ chosen, choose, isForGuests, error }: Props) {
  const [text, type] = useState('')
  const field = useRef<HTMLInputElement>(null)
  const query = text.trim()
  const channels = useOfferedChannels(query)
  const defaults = useDefaultChannels().data ?? []
  // Everyone but guests is in these anyway.
  const given = isForGuests ? [] : defaults
  const isGiven = (id: string) => given.some((channel) => channel.id === id)
  const found = channels.filter(({ id, name }) => !isGiven(id) && fold(name).includes(fold(query)))
  const shown = chosen.filter((id) => !isGiven(id))
  const remove = (id: string) => {
    choose(chosen.filter((each) => each !== id))
    field.current!.focus()
  }
  return (
    <Ariakit.ComboboxProvider
      value={text}
      setValue={type}
      selectedValue={chosen}
      setSelectedValue={choose}
      resetValueOnSelect
    >
      <div className="field">
        <Ariakit.ComboboxLabel className="label">Channels</Ariakit.ComboboxLabel>
        <div className="chip-field">
          {given.map((channel) => (
            <span key={channel.id} className="entry given">
              <ChannelName channel={channel} />
            </span>
          ))}
          {shown.map((id) => (
            <Chosen key={id} id={id} remove={() => remove(id)} />
          ))}
          <Ariakit.Combobox
            ref={field}
            className="chip-input"
            placeholder={shown.length + given.length > 0 ? '' : 'Add a channel'}
            // Without a name, Enter chooses none.
            autoSelect={query !== ''}
            aria-invalid={error ? true : undefined}
            onKeyDown={(event) => {
              if (event.key === 'Backspace' && text === '' && chosen.length > 0) choose(chosen.slice(0, -1))
            }}
          />
        </div>
        <p className={error ? 'field-error' : 'hint'}>
          {error ?? (isForGuests ? 'Guests see only these.' : describeGiven(given))}
        </p>
      </div>
      <Ariakit.ComboboxPopover className="menu" gutter={4} sameWidth fixed aria-label="Channels" unmountOnHide>
        {found.slice(0, MAX_SHOWN).map((channel) => (
          <Ariakit.ComboboxItem key={channel.id} value={channel.id} focusOnHover hideOnClick className="menu-item">
            <Icon name={channel.is_private ? 'lock' : 'hash'} />
            <span className="person-name">
              <MarkedText text={channel.name} range={findMatch(channel.name, query)} />
            </span>
            <Ariakit.ComboboxItemCheck />
          </Ariakit.ComboboxItem>
        ))}
        {found.length === 0 && <p className="meta menu-note">No results for “{query}”</p>}
      </Ariakit.ComboboxPopover>
    </Ariakit.ComboboxProvider>
  )
}

function describeGiven([first, ...others]: Channel[]): string {
  if (!first) return 'They can join other public channels themselves.'
  const names = [first, ...others].map(({ name }) => `#${name}`)
  return `${new Intl.ListFormat('en').format(names)} ${others.length > 0 ? 'are' : 'is'} for everyone.`
}

function Chosen({ id, remove }: { id: string; remove(): void }) {
  const { channel } = useChannel(id)
  if (!channel) return null
  return (
    <span className="entry">
      <ChannelName channel={channel} />
      <button type="button" aria-label={`Remove ${channel.name}`} onClick={remove}>
        <Icon name="close" size={13} />
      </button>
    </span>
  )
}

const ChannelName = ({ channel: { name, is_private } }: { channel: Channel }) => (
  <span className="entry-text">
    <Icon name={is_private ? 'lock' : 'hash'} size={14} />
    {name}
  </span>
)
