import type { ComponentProps, MouseEvent } from 'react'
import { Icon, type IconName } from './icon'

interface Props extends Omit<ComponentProps<'button'>, 'title'> {
  icon?: IconName
  variant?: 'primary' | 'plain' | 'danger' | 'danger primary'
  /** Why it cannot be used now. It stays where it is, can be reached, and says so. */
  disabledReason?: string
  /** The name of a button that shows only its icon. */
  label?: string
}

/** A button. One that may not be used is shown, disabled, with the reason. */
export function Button({ icon, variant, disabledReason, label, className = '', children, onClick, ...rest }: Props) {
  const isBare = children === undefined
  return (
    <button
      type="button"
      {...rest}
      className={`button ${variant ?? ''} ${isBare ? 'icon' : ''} ${className}`}
      aria-label={label}
      aria-disabled={disabledReason ? true : rest['aria-disabled']}
      title={disabledReason ?? label}
      onClick={(event: MouseEvent<HTMLButtonElement>) => {
        if (disabledReason) event.preventDefault()
        else onClick?.(event)
      }}
    >
      {icon && <Icon name={icon} />}
      {children}
      {disabledReason && <span className="unseen"> ({disabledReason})</span>}
    </button>
  )
}
