import * as Ariakit from '@ariakit/react'
import type { ReactNode } from 'react'
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
  return (
    <Ariakit.MenuProvider placement="bottom-end" defaultOpen={isOpen}>
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
