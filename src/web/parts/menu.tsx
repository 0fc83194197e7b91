import * as Ariakit from '@ariakit/react'
import { type ReactElement, type ReactNode, useEffect } from 'react'
import { Button } from './button'
import { Icon, type IconName } from './icon'

export interface MenuEntry {
  label: string
  icon?: IconName
  /** Beside the label, such as the key that does the same. */
  hint?: string
  isDanger?: boolean
  disabledReason?: string
  run(): void
}

interface Props {
  label: string
  /** Whether it is open at first. */
  isOpen?: boolean
  /** Groups with a line in between. Falsy ones are left out. */
  entries: (MenuEntry | 'line' | false | undefined)[]
  /** The button that opens it; else three dots. */
  button?: ReactElement
  /** Groups of other choices, above the entries. */
  before?: ReactNode
  /** The same, below them. */
  children?: ReactNode
}

/** A menu behind a button. */
export function Menu({ label, isOpen, entries, button, before, children }: Props) {
  const menu = Ariakit.useMenuStore({ placement: 'bottom-end' })
  useShowAtFirst(menu, isOpen === true)
  return (
    <Ariakit.MenuProvider store={menu}>
      <Ariakit.MenuButton render={button ?? <Button icon="dots" variant="plain" label={label} />} />
      <Ariakit.Menu
        className="menu"
        gutter={4}
        portal
        preserveTabOrder={false}
        wrapperProps={{ role: 'region', 'aria-label': label }}
        unmountOnHide
      >
        {before}
        {entries.map(
          (entry, at) =>
            entry &&
            (entry === 'line' ? (
              <Ariakit.MenuSeparator key={at} className="menu-line" />
            ) : (
              <Ariakit.MenuItem
                key={entry.label}
                className={`menu-item ${entry.isDanger ? 'danger' : ''}`}
                disabled={entry.disabledReason !== undefined}
                accessibleWhenDisabled
                title={entry.disabledReason}
                onClick={entry.run}
              >
                {entry.icon && <Icon name={entry.icon} />}
                {entry.label}
                {entry.hint && <span className="menu-time">{entry.hint}</span>}
                {entry.disabledReason && <span className="visually-hidden"> ({entry.disabledReason})</span>}
              </Ariakit.MenuItem>
            )),
        )}
        {children}
      </Ariakit.Menu>
    </Ariakit.MenuProvider>
  )
}

/** Opens what was mounted by a click, once that click is over: it would count as one outside, and close it. */
export function useShowAtFirst(store: { show(): void }, isWanted: boolean) {
  useEffect(() => {
    if (!isWanted) return
    const timer = setTimeout(store.show)
    return () => clearTimeout(timer)
  }, [store.show, isWanted])
}
