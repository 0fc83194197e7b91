import * as Ariakit from '@ariakit/react'
import { type ReactNode, useEffect } from 'react'
import { Button } from './button'
import { Icon, type IconName } from './icon'

export interface MenuEntry {
  label: string
  icon?: IconName
  isDanger?: boolean
  disabledReason?: string
  run(): void
}

interface Props {
  label: string
  /** Whether it is open at first. */
  isOpen?: boolean
  /** Falsy ones are left out. */
  entries: (MenuEntry | false | undefined)[]
  /** Groups of other choices, below the entries. */
  children?: ReactNode
}

/** A menu behind a button. */
export function Menu({ label, isOpen, entries, children }: Props) {
  const menu = Ariakit.useMenuStore({ placement: 'bottom-end' })
  useShowAtFirst(menu, isOpen === true)
  return (
    <Ariakit.MenuProvider store={menu}>
      <Ariakit.MenuButton render={<Button icon="dots" variant="plain" label={label} />} />
      <Ariakit.Menu
        className="menu"
        gutter={4}
        portal
        preserveTabOrder={false}
        wrapperProps={{ role: 'region', 'aria-label': label }}
        unmountOnHide
      >
        {entries.map(
          (entry) =>
            entry && (
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
                {entry.disabledReason && <span className="visually-hidden"> ({entry.disabledReason})</span>}
              </Ariakit.MenuItem>
            ),
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
