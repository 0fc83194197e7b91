import * as Ariakit from '@ariakit/react'
import { ExcerptText } from '../parts/excerpt-text'
import { Icon } from '../parts/icon'
import type { Entry } from './palette-entries'

interface Props {
  entry: Entry
  choose(entry: Entry): void
}

/** An entry of the palette. Recent searches can be removed by the Delete key or the cross. */
export const PaletteOption = ({ entry, choose }: Props) => (
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
