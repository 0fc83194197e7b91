import * as Ariakit from '@ariakit/react'
import { Fragment, type ReactElement } from 'react'
import { type ChoiceGroup, MenuChoices, MenuList, useShowAtFirst } from './menu'

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
      <MenuList label={label}>
        {groups.map((group, at) => (
          <Fragment key={group.title}>
            {at > 0 && <Ariakit.MenuSeparator className="menu-line" />}
            <MenuChoices {...group} />
          </Fragment>
        ))}
      </MenuList>
    </Ariakit.MenuProvider>
  )
}
