import * as Ariakit from '@ariakit/react'
import { useState } from 'react'
import { fold } from '../../../contract/browser/fold'
import type { Channel } from '../../../contract/channels'
import { useArchivedMatches, useChannel, useChannels, useOfferedChannels } from '../../data/channels'
import { usePermissions } from '../../data/me'
import { findMatch } from '../../data/search'
import { formatCount } from '../../parts/format-count'
import { Icon } from '../../parts/icon'
import { MarkedText } from '../../parts/marked-text'

interface Props {
  /** The id of the chosen channel; empty if there is none yet. */
  value: string
  choose(id: string): void
  /** What it says while none is chosen. */
  label?: string
  /** Why a channel cannot be chosen. */
  getDeniedReason?(channel: Channel): string | undefined
}

/** A channel as one can choose it, or why one cannot. */
interface Choice {
  channel: Channel
  deniedReason?: string
}

const MAX_SHOWN = 50

/** The channel that a post goes to, as a chip. It opens a list of all channels, which is searched while typing. */
export function ChannelPicker({ value, choose, label = 'Choose a channel', getDeniedReason }: Props) {
  const [query, setQuery] = useState('')
  const [isOpen, setOpen] = useState(false)
  const { channel } = useChannel(value || undefined)
  const found = useChoices(query.trim(), isOpen, getDeniedReason)
  return (
    <Ariakit.ComboboxProvider value={query} setValue={setQuery} resetValueOnHide open={isOpen} setOpen={setOpen}>
      <Ariakit.SelectProvider value={value} setValue={choose}>
        <Ariakit.Select
          className="channel-chip"
          aria-label={channel || label === 'Choose a channel' ? `Channel: ${channel?.name ?? 'none chosen'}` : label}
        >
          {channel && <Icon name={channel.is_private ? 'lock' : 'hash'} />}
          <span>{channel?.name ?? label}</span>
          <Icon name="down" />
        </Ariakit.Select>
        <Ariakit.SelectPopover
          className="menu channel-picker"
          gutter={4}
          fitViewport
          unmountOnHide
          aria-label="Channels"
        >
          <div className="channel-query">
            <Icon name="search" />
            <Ariakit.Combobox autoSelect="always" aria-label="Find a channel" placeholder="Find a channel" />
          </div>
          <Ariakit.ComboboxList className="channel-list">
            {found.slice(0, MAX_SHOWN).map((choice) => (
              <Row key={choice.channel.id} choice={choice} query={query.trim()} />
            ))}
          </Ariakit.ComboboxList>
          {found.length === 0 && <p className="meta menu-note">No results for “{query.trim()}”</p>}
          {found.length > MAX_SHOWN && (
            <p className="meta menu-note">{formatCount(found.length - MAX_SHOWN, 'more channel')}: type to find it.</p>
          )}
          <PickerKeys />
        </Ariakit.SelectPopover>
      </Ariakit.SelectProvider>
    </Ariakit.ComboboxProvider>
  )
}

function Row({ choice: { channel, deniedReason }, query }: { choice: Choice; query: string }) {
  const { id, name, description, is_private, members_count } = channel
  const note = deniedReason ?? description
  return (
    <Ariakit.ComboboxItem
      className="menu-item channel-option"
      focusOnHover
      disabled={deniedReason !== undefined}
      accessibleWhenDisabled
      render={<Ariakit.SelectItem value={id} />}
    >
      <Icon name={is_private ? 'lock' : 'hash'} />
      <span className="channel-words">
        <b>
          <MarkedText text={name} range={findMatch(name, query)} />
        </b>
        {note && (
          <small>
            <MarkedText text={note} range={deniedReason ? undefined : findMatch(note, query)} />
          </small>
        )}
      </span>
      <span className="channel-count" title={formatCount(members_count, 'member')}>
        {members_count.toLocaleString()}
        <span className="visually-hidden"> {members_count === 1 ? 'member' : 'members'}</span>
      </span>
    </Ariakit.ComboboxItem>
  )
}

const PickerKeys = () => (
  <p className="picker-keys" aria-hidden="true">
    <span>
      <kbd>↑</kbd>
      <kbd>↓</kbd>Move
    </span>
    <span>
      <kbd>↵</kbd>Choose
    </span>
    <span>
      <kbd>esc</kbd>Close
    </span>
  </p>
)

/** The channels whose name or description matches. Without a query those that one is in come first. */
function useChoices(query: string, isOpen: boolean, getDeniedReason: Props['getDeniedReason']): Choice[] {
  const { isAdmin } = usePermissions()
  const joined = new Set(useChannels().data?.map(({ id }) => id))
  const channels = useOfferedChannels(query)
  const archived = useArchivedMatches(query, isAdmin && isOpen)
  if (!isOpen) return []
  const typed = fold(query)
  const order = ({ id, name }: Channel) => {
    if (!typed) return joined.has(id) ? 0 : 1
    const at = fold(name).indexOf(typed)
    return at === 0 ? 0 : at > 0 ? 1 : 2
  }
  const matches = ({ name, description }: Channel) => fold(name).includes(typed) || fold(description).includes(typed)
  const found = channels.filter(matches).sort((a, b) => order(a) - order(b))
  const closed = typed ? archived.filter(matches) : []
  return [
    ...found.map((channel) => ({ channel, deniedReason: getDeniedReason?.(channel) })),
    ...closed.map((channel) => ({ channel, deniedReason: 'Archived: nobody can post here' })),
  ]
}
