import * as Ariakit from '@ariakit/react'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { rememberSearch } from '../data/recent-searches'
import { useQuickResults } from '../data/search'
import { completeQuery } from '../data/search-text'
import { CodeText } from '../parts/code-text'
import { getErrorMessage } from '../parts/states'
import { useDebounced } from '../parts/use-debounced'
import { useScrollLock } from '../parts/use-scroll-lock'
import { paths } from '../paths'
import { type Entry, useEntries, useResultEntries } from './palette-entries'
import { PaletteOption } from './palette-option'

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
