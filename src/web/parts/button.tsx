import type { ComponentProps, MouseEvent } from 'react'
import { Icon, type IconName } from './icon'

interface Props extends Omit<ComponentProps<'button'>, 'title'> {
  icon?: IconName
  look?: 'primary' | 'plain' | 'danger' | 'danger primary'
  /** Why it cannot be used now. It stays where it is, can be reached, and says so. */
  whyNot?: string
  /** The name of a button that shows only its icon. */
  label?: string
}

/** A button. One that may not be used is shown, disabled, with the reason. */
export function Button({ icon, look, whyNot, label, className = '', children, onClick, ...rest }: Props) {
  const isBare = children === undefined
  return (
    <button
      type="button"
      {...rest}
      className={`button ${look ?? ''} ${isBare ? 'icon' : ''} ${className}`}
      aria-label={label}
      aria-disabled={whyNot ? true : rest['aria-disabled']}
      title={whyNot ?? label}
      onClick={(event: MouseEvent<HTMLButtonElement>) => {
        if (whyNot) event.preventDefault()
        else onClick?.(event)
      }}
    >
      {icon && <Icon name={icon} />}
      {children}
      {whyNot && <span className="unseen"> ({whyNot})</span>}
    </button>
  )
}
