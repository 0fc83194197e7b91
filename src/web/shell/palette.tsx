import * as Ariakit from '@ariakit/react'
import { useEffect, useState } from 'react'
import { useLocation } from 'wouter'
import { completeQuery, rememberSearch, useQuickResults } from '../data/search'
import { CodeText } from '../parts/code-text'
import { ExcerptText } from '../parts/excerpt-text'
import { Icon } from '../parts/icon'
import { getErrorMessage } from '../parts/states'
import { useScrollLock } from '../parts/use-scroll-lock'
import { paths } from '../paths'
import { type Entry, useEntries, useResultEntries } from './palette-entries'

const PAUSE_MS = 120

/** Finds channels, members, posts, comments and messages while typing, and runs actions by part of their name. */
export default function Palette({ close }: { close(): void }) {
  const [text, setText] = useState('')
  useScrollLock()
  const q = useDebounced(text.trim(), PAUSE_MS)
  const found = useQuickResults(q && completeQuery(q))
  const entries = useEntries(text, q, setText)
  const results = useResultEntries(text.trim() && q ? (found.data?.data ?? []) : [], q)
  const groups = [...entries, ...results]
  const isSettled = q === text.trim() && !found.isFetching
  const choose = (entry: Entry) => {
    if (entry.disabledReason) return
    if (!entry.keepsOpen) close()
    entry.run()
  }
  return (
    <Ariakit.Dialog
      open
      onClose={close}
      className="dialog palette"
      backdrop={<div className="backdrop" />}
      preventBodyScroll={false}
      aria-label="Search"
    >
      <Ariakit.ComboboxProvider open setValue={setText} value={text} includesBaseElement={false} focusLoop>
        <Ariakit.Combobox
          className="input"
          placeholder="Search posts, comments, messages, channels and people"
          aria-label="Search"
          autoFocus
          autoSelect="always"
        />
        <Ariakit.ComboboxList
          alwaysVisible
          className="palette-list"
          aria-label="Results"
          aria-busy={!isSettled || undefined}
        >
          {groups.map(({ title, entries }) => (
            <Ariakit.ComboboxGroup key={title}>
              <Ariakit.ComboboxGroupLabel className="meta palette-title">{title}</Ariakit.ComboboxGroupLabel>
              {entries.map((entry) => (
                <PaletteOption key={entry.id} entry={entry} choose={choose} />
              ))}
            </Ariakit.ComboboxGroup>
          ))}
          {text.trim() && <SeeAll q={text.trim()} choose={choose} />}
        </Ariakit.ComboboxList>
        <p className="meta palette-note" role="status">
          {text.trim() && q && found.error ? (
            <CodeText text={getErrorMessage(found.error)} />
          ) : (
            text.trim() && isSettled && groups.length === 0 && `No results for “${text.trim()}”`
          )}
        </p>
      </Ariakit.ComboboxProvider>
    </Ariakit.Dialog>
  )
}

function SeeAll({ q, choose }: { q: string; choose(entry: Entry): void }) {
  const [, navigate] = useLocation()
  const run = () => {
    rememberSearch(q)
    navigate(paths.search({ q }))
  }
  return <PaletteOption entry={{ id: 'all', label: 'See all results', icon: 'search', run }} choose={choose} />
}

interface Props {
  entry: Entry
  choose(entry: Entry): void
}

/** An entry of the palette. Recent searches can be removed by the Delete key or the cross. */
const PaletteOption = ({ entry, choose }: Props) => (
  <Ariakit.ComboboxItem
    className="menu-item"
    setValueOnClick={false}
    hideOnClick={false}
    disabled={entry.disabledReason !== undefined}
    accessibleWhenDisabled
    title={entry.disabledReason}
    aria-description={entry.remove && 'Press Delete to remove it'}
    onClick={() => choose(entry)}
    onKeyDown={(event) => event.key === 'Delete' && entry.remove?.()}
  >
    <Icon name={entry.icon} />
    <span className="palette-text">
      <span className="palette-label">
        {entry.excerpts?.title ? <ExcerptText excerpt={entry.excerpts.title} /> : entry.label}
      </span>
      {entry.excerpts?.text && (
        <span className="palette-excerpt meta">
          <ExcerptText excerpt={entry.excerpts.text} />
        </span>
      )}
    </span>
    {(entry.disabledReason ?? entry.note) && <span className="meta">{entry.disabledReason ?? entry.note}</span>}
    {entry.remove && <RemoveCross remove={entry.remove} />}
  </Ariakit.ComboboxItem>
)

/** For pointers only: an option cannot contain a button. */
const RemoveCross = ({ remove }: { remove(): void }) => (
  <span
    className="palette-remove"
    aria-hidden="true"
    title="Remove"
    onClick={(event) => {
      event.stopPropagation()
      remove()
    }}
  >
    <Icon name="close" size={12} />
  </span>
)

/** A value once it has not changed for a while. */
function useDebounced<T>(value: T, pauseMs: number): T {
  const [settled, settle] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => settle(value), pauseMs)
    return () => clearTimeout(timer)
  }, [value, pauseMs])
  return settled
}
