import { useState } from 'react'
import { fold } from '../../../contract/browser/fold'
import { useChannels } from '../../data/channels'
import type { Search } from '../../data/search'
import { type FilterName, filterNames, readFilter, removeFilters, writeFilter } from '../../data/search-text'
import { Button } from '../../parts/button'
import { AuthorFilter } from './author-filter'
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
  const names = (useChannels().data ?? []).map(({ name }) => name)
  const known = value && names.find((name) => fold(name) === fold(value))
  const options: Option[] = [['', 'All channels'], ...names.map((name): Option => [name, name])]
  return <Choice label="Channel" value={known ?? value} choose={choose} options={options} />
}
