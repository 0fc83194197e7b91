import * as Ariakit from '@ariakit/react'
import { useState } from 'react'
import { fold } from '../../../contract/browser/fold'
import { useOfferedChannels } from '../../data/channels'
import { useMentionable } from '../../data/mentions'
import { type FilterName, filterNames, readFilter, removeFilters, type Search, writeFilter } from '../../data/search'
import { Avatar } from '../../parts/avatar'
import { Button } from '../../parts/button'
import { useEditedText } from '../../parts/use-edited-text'
import { Choice, type ChoiceProps, type Option } from './choice'
import { DateFilter } from './date-filter'

interface Props {
  search: Search
  change(next: Partial<Search>): void
}

/** Controls for the operators in the text: each shows what is typed, and rewrites it. */
export function Filters({ search, change }: Props) {
  const { q, sort } = search
  const [isOpen, setOpen] = useState(false)
  const choose = (filter: FilterName, value: string | undefined) => change({ q: writeFilter(q, filter, value) })
  const count = filterNames.filter((name) => readFilter(q, name) !== undefined).length
  return (
    <>
      <Button
        className="filters-toggle"
        icon="settings"
        aria-expanded={isOpen}
        aria-controls="search-filters"
        onClick={() => setOpen(!isOpen)}
      >
        {count > 0 ? `Filters (${count})` : 'Filters'}
      </Button>
      <fieldset id="search-filters" className="search-filters" data-open={isOpen || undefined}>
        <legend className="visually-hidden">Filters</legend>
        <Choice label="Type" value={readFilter(q, 'type')} choose={(value) => choose('type', value)} options={types} />
        <ChannelFilter value={readFilter(q, 'channel')} choose={(value) => choose('channel', value)} />
        <AuthorFilter value={readFilter(q, 'author')} choose={(value) => choose('author', value)} />
        <Choice
          label="State"
          value={readFilter(q, 'state')}
          choose={(value) => choose('state', value)}
          options={states}
        />
        <DateFilter q={q} change={(text) => change({ q: text })} />
        {count > 0 && (
          <Button variant="plain" onClick={() => change({ q: removeFilters(q) })}>
            Clear filters
          </Button>
        )}
        <Choice
          label="Sort by"
          className="sort"
          value={sort === 'created_at' ? sort : undefined}
          choose={(value) => change({ sort: value ? 'created_at' : 'relevance' })}
          options={orders}
        />
      </fieldset>
    </>
  )
}

const types: Option[] = [
  ['', 'Everything'],
  ['post', 'Posts'],
  ['comment', 'Comments'],
  ['message', 'Messages'],
]
const states: Option[] = [
  ['', 'Any state'],
  ['open', 'Open'],
  ['resolved', 'Resolved'],
]
const orders: Option[] = [
  ['', 'Best match'],
  ['created_at', 'Newest'],
]

function ChannelFilter({ value, choose }: Pick<ChoiceProps, 'value' | 'choose'>) {
  const names = useOfferedChannels().map(({ name }) => name)
  const known = value && names.find((name) => fold(name) === fold(value))
  const options: Option[] = [['', 'All channels'], ...names.map((name): Option => [name, name])]
  return <Choice label="Channel" value={known ?? value} choose={choose} options={options} />
}

interface AuthorFilterProps {
  value: string | undefined
  choose(value: string | undefined): void
}

/** Finds a member or app by name. An empty field stands for everyone. */
function AuthorFilter({ value = '', choose }: AuthorFilterProps) {
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
