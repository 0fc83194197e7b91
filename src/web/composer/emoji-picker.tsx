import { type KeyboardEvent, memo, useDeferredValue, useEffect, useId, useMemo, useRef, useState } from 'react'
import { getRecentEmoji } from '../data/emoji'
import { type Emoji, type EmojiGroup, emojiGroups, findCharacter, searchEmoji } from '../data/emoji-list'

const COLUMNS = 8
const MAX_FOUND = 10 * COLUMNS

interface Props {
  /** The custom emoji of the workspace, where they can be used. */
  custom?: readonly { name: string; url: string }[]
  pick(emoji: string): void
}

const NONE: readonly never[] = []

/** Finds an emoji by name. The search field keeps the focus; the arrow keys move through the grid. */
export default function EmojiPicker({ custom = NONE, pick }: Props) {
  const listId = useId()
  const field = useRef<HTMLInputElement>(null)
  const [query, setQuery] = useState('')
  const [active, setActive] = useState(0)
  const groups = useGroups(query, custom)
  const all = useMemo(() => groups.flatMap(({ emoji }) => emoji), [groups])
  const activeId = all[active] && `${listId}-${active}`
  useEffect(() => {
    document.getElementById(activeId ?? '')?.scrollIntoView({ block: 'nearest' })
  }, [activeId])

  // It may have been loaded after the popover took the focus.
  useEffect(() => field.current!.focus({ preventScroll: true }), [])

  function onKeyDown(event: KeyboardEvent) {
    if (event.nativeEvent.isComposing) return
    const next = event.key === 'Enter' ? active : move(groups, active, event.key)
    if (next === undefined) return
    event.preventDefault()
    if (event.key !== 'Enter') setActive(next)
    else if (all[active]) pick(all[active].emoji)
  }
  let start = 0
  return (
    <>
      <input
        ref={field}
        className="input"
        role="combobox"
        aria-label="Search emoji"
        aria-expanded
        aria-autocomplete="list"
        aria-controls={listId}
        aria-activedescendant={activeId}
        placeholder="Search emoji"
        value={query}
        onChange={(event) => {
          setQuery(event.target.value)
          setActive(0)
        }}
        onKeyDown={onKeyDown}
      />
      <div className="emoji-list" id={listId} role="listbox" aria-label="Emoji">
        {groups.map((group) => {
          const at = start
          start += group.emoji.length
          const activeInGroup = active >= at && active < start ? active : undefined
          return <Group key={group.title} {...{ group, at, listId, pick }} active={activeInGroup} />
        })}
      </div>
      <p className="meta emoji-name" role="status">
        {all.length === 0 ? `No results for “${query.trim()}”` : all[active] && `:${all[active].names[0]}:`}
      </p>
    </>
  )
}

function useGroups(query: string, custom: NonNullable<Props['custom']>): EmojiGroup[] {
  const [recentNames] = useState(getRecentEmoji)
  // The first group appears at once, the others follow.
  const others = useDeferredValue(emojiGroups, emojiGroups.slice(0, 1))
  return useMemo(() => {
    const own = custom.map(({ name, url }) => ({ emoji: name, names: [name], words: [], url }))
    const recent = recentNames.flatMap((one) => own.find(({ emoji }) => emoji === one) ?? findCharacter(one) ?? [])
    const wanted = query.trim().toLowerCase()
    const groups = wanted
      ? [
          { title: 'Custom', emoji: own.filter(({ emoji }) => emoji.includes(wanted)) },
          { title: 'Results', emoji: searchEmoji(query, MAX_FOUND) },
        ]
      : [{ title: 'Custom', emoji: own }, { title: 'Recent', emoji: recent }, ...others]
    return groups.filter(({ emoji }) => emoji.length > 0)
  }, [query, custom, recentNames, others])
}

/** The index that an arrow key leads to; undefined for other keys. Each group starts a row. */
function move(groups: EmojiGroup[], from: number, key: string): number | undefined {
  const rows: { start: number; length: number }[] = []
  let count = 0
  for (const { emoji } of groups) {
    for (let at = 0; at < emoji.length; at += COLUMNS)
      rows.push({ start: count + at, length: Math.min(COLUMNS, emoji.length - at) })
    count += emoji.length
  }
  const clamp = (at: number) => Math.max(0, Math.min(count - 1, at))
  if (key === 'ArrowRight') return clamp(from + 1)
  if (key === 'ArrowLeft') return clamp(from - 1)
  if (key !== 'ArrowDown' && key !== 'ArrowUp') return undefined
  const at = rows.findIndex(({ start, length }) => from < start + length)
  const row = rows[at + (key === 'ArrowDown' ? 1 : -1)]
  return row ? row.start + Math.min(from - rows[at]!.start, row.length - 1) : from
}

interface GroupProps {
  group: EmojiGroup
  /** The index of its first emoji. */
  at: number
  active: number | undefined
  listId: string
  pick(emoji: string): void
}

const Group = memo(({ group, at, active, listId, pick }: GroupProps) => {
  const titleId = useId()
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset has no place in a list box.
    <div role="group" aria-labelledby={titleId} className="emoji-group">
      <p id={titleId} className="meta">
        {group.title}
      </p>
      {group.emoji.map(({ emoji, names, url }, index) => (
        <Option
          key={emoji}
          {...{ emoji, names, url, pick }}
          id={`${listId}-${at + index}`}
          isActive={at + index === active}
        />
      ))}
    </div>
  )
})

interface OptionProps extends Pick<Emoji, 'emoji' | 'names' | 'url'> {
  id: string
  isActive: boolean
  pick(emoji: string): void
}

const Option = ({ id, emoji, names, url, isActive, pick }: OptionProps) => (
  // biome-ignore lint/a11y/useFocusableInteractive lint/a11y/useKeyWithClickEvents: the search field has the focus.
  <div
    id={id}
    role="option"
    aria-selected={isActive}
    aria-label={names[0]!.replaceAll('_', ' ')}
    title={`:${names[0]}:`}
    className="emoji"
    onMouseDown={(event) => event.preventDefault()}
    onClick={() => pick(emoji)}
  >
    {url ? <img src={url} alt="" width={22} height={22} /> : emoji}
  </div>
)
