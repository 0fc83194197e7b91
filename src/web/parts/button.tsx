import type { ComponentProps, MouseEvent } from 'react'
import { Icon, type IconName } from './icon'

interface Props extends Omit<ComponentProps<'button'>, 'title'> {
  icon?: IconName
  variant?: 'primary' | 'plain' | 'danger' | 'danger primary'
  /** Why it is disabled. It stays focusable, so that the reason can be read. */
  disabledReason?: string
  /** The accessible name of a button without text. */
  label?: string
  /** What is shown when it is hovered. */
  hint?: string
}

/** A button. If it is disabled, it says why. */
export function Button({ icon, variant, disabledReason, label, hint, className = '', ...given }: Props) {
  const { children, onClick, ...rest } = given
  const isIconOnly = children === undefined
  return (
    <button
      type="button"
      {...rest}
      className={`button ${variant ?? ''} ${isIconOnly ? 'icon' : ''} ${className}`}
      aria-label={label}
      aria-disabled={disabledReason ? true : rest['aria-disabled']}
      title={disabledReason ?? hint ?? label}
      onClick={(event: MouseEvent<HTMLButtonElement>) => {
        if (disabledReason) event.preventDefault()
        else onClick?.(event)
      }}
    >
      {icon && <Icon name={icon} />}
      {children}
      {disabledReason && <span className="visually-hidden"> ({disabledReason})</span>}
    </button>
  )
}
