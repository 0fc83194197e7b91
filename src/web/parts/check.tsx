import { type ComponentProps, type MouseEvent, type ReactNode, useId } from 'react'

interface Props extends Omit<ComponentProps<'input'>, 'title'> {
  label: ReactNode
  hint?: ReactNode
  /** Why it cannot be changed now. It stays where it is, can be reached, and says so. */
  whyNot?: string
}

/** What is shown as it is given goes back by itself; what keeps its own state must be kept from changing. */
const ignore = () => {}
const refuse = (event: MouseEvent) => event.preventDefault()

/** Something to tick, or one of several to pick, with its label. */
export function Check({ label, hint, whyNot, type = 'checkbox', ...input }: Props) {
  const id = useId()
  return (
    <div className="check">
      <input
        {...input}
        id={id}
        type={type}
        aria-disabled={whyNot ? true : undefined}
        aria-describedby={hint || whyNot ? `${id}-hint` : undefined}
        title={whyNot}
        onChange={whyNot ? ignore : input.onChange}
        onClick={whyNot && input.checked === undefined ? refuse : input.onClick}
      />
      <label htmlFor={id}>{label}</label>
      {(hint || whyNot) && (
        <p id={`${id}-hint`} className={hint ? 'meta' : 'unseen'}>
          {hint}
          {whyNot && <span className="unseen"> {whyNot}</span>}
        </p>
      )}
    </div>
  )
}
