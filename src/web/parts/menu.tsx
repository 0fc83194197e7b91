import * as Ariakit from '@ariakit/react'
import { Button } from './button'
import { Icon, type IconName } from './icon'

export interface MenuEntry {
  label: string
  icon?: IconName
  isDanger?: boolean
  disabledReason?: string
  run(): void
}

/** A menu behind a button. Falsy entries are left out. */
export function Menu({ label, entries }: { label: string; entries: (MenuEntry | false | undefined)[] }) {
  return (
    <Ariakit.MenuProvider placement="bottom-end">
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
      </Ariakit.Menu>
    </Ariakit.MenuProvider>
  )
}
