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
      <MenuList label={label}>
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
      </MenuList>
    </Ariakit.MenuProvider>
  )
}

interface ListProps extends Ariakit.MenuProps {
  label: string
}

/** What a menu shows when it is open. It is above the page, so it is a region of its own. */
export const MenuList = ({ label, ...rest }: ListProps) => (
  <Ariakit.Menu
    className="menu"
    gutter={4}
    portal
    preserveTabOrder={false}
    wrapperProps={{ role: 'region', 'aria-label': label }}
    unmountOnHide
    {...rest}
  />
)

export interface ChoiceGroup<T extends string = string> {
  title: string
  /** Undefined while it is loading. */
  value: T | undefined
  choices: readonly (readonly [value: T, text: string])[]
  choose(value: T): void
}

/** A part of a menu of which one entry is chosen. */
export const MenuChoices = <T extends string>({ title, value, choices, choose }: ChoiceGroup<T>) => (
  <Ariakit.MenuGroup>
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
)

/** Opens what was mounted by a click, once that click is over: it would count as one outside, and close it. */
export function useShowAtFirst(store: { show(): void }, isWanted: boolean) {
  useEffect(() => {
    if (!isWanted) return
    const timer = setTimeout(store.show)
    return () => clearTimeout(timer)
  }, [store.show, isWanted])
}
