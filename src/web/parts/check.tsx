import { type ComponentProps, type MouseEvent, type ReactNode, useId } from 'react'

interface Props extends Omit<ComponentProps<'input'>, 'title'> {
  label: ReactNode
  hint?: ReactNode
  /** Why it is disabled. It stays focusable, so that the reason can be read. */
  disabledReason?: string
}

/** Controlled inputs ignore the change; uncontrolled ones must be prevented from changing. */
const ignore = () => {}
const preventChange = (event: MouseEvent) => event.preventDefault()

/** A checkbox or radio button with its label. */
export function Check({ label, hint, disabledReason, type = 'checkbox', ...input }: Props) {
  const id = useId()
  return (
    <div className="check">
      <input
        {...input}
        id={id}
        type={type}
        aria-disabled={disabledReason ? true : undefined}
        aria-describedby={hint || disabledReason ? `${id}-hint` : undefined}
        title={disabledReason}
        onChange={disabledReason ? ignore : input.onChange}
        onClick={disabledReason && input.checked === undefined ? preventChange : input.onClick}
      />
      <label htmlFor={id}>{label}</label>
      {(hint || disabledReason) && (
        <p id={`${id}-hint`} className={hint ? 'meta' : 'visually-hidden'}>
          {hint}
          {disabledReason && <span className="visually-hidden"> {disabledReason}</span>}
        </p>
      )}
    </div>
  )
}
