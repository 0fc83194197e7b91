import * as Ariakit from '@ariakit/react'
import type { ReactElement } from 'react'
import { Icon } from './icon'
import { useShowAtFirst } from './menu'

export interface ChoiceGroup {
  title: string
  value: string
  choices: readonly (readonly [value: string, text: string])[]
  choose(value: string): void
}

interface Props {
  label: string
  groups: ChoiceGroup[]
  button: ReactElement
}

/** The menu of a quiet choice. It is mounted open. */
export function ChoiceMenu({ label, groups, button }: Props) {
  const menu = Ariakit.useMenuStore({ placement: 'bottom-end' })
  useShowAtFirst(menu, true)
  return (
    <Ariakit.MenuProvider store={menu}>
      <Ariakit.MenuButton render={button} />
      <Ariakit.Menu
        className="menu"
        gutter={4}
        portal
        preserveTabOrder={false}
        wrapperProps={{ role: 'region', 'aria-label': label }}
        unmountOnHide
      >
        {groups.map(({ title, value, choices, choose }, at) => (
          <Ariakit.MenuGroup key={title}>
            {at > 0 && <Ariakit.MenuSeparator className="menu-line" />}
            <Ariakit.MenuGroupLabel className="meta menu-label">{title}</Ariakit.MenuGroupLabel>
            {choices.map(([choice, text]) => (
              <Ariakit.MenuItem
                key={choice}
                className="menu-item menu-choice"
                role="menuitemradio"
                aria-checked={choice === value}
                onClick={() => choose(choice)}
              >
                {choice === value && <Icon name="check" />}
                {text}
              </Ariakit.MenuItem>
            ))}
          </Ariakit.MenuGroup>
        ))}
      </Ariakit.Menu>
    </Ariakit.MenuProvider>
  )
}
