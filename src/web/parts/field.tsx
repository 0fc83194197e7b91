import { type ComponentProps, type ReactNode, useId } from 'react'
import { ParleyError } from '../../client/error'

/** The error that the server reports for one field. */
export const getFieldError = (error: unknown, name: string): string | undefined =>
  error instanceof ParleyError ? error.errors.find((wrong) => wrong.name === name)?.message : undefined

interface Props extends ComponentProps<'input'> {
  label: string
  hint?: ReactNode
  wrong?: string
}

/** A text field with label, hint and error. */
export function Field({ label, hint, wrong, ...input }: Props) {
  const id = useId()
  const notes = [hint && `${id}-hint`, wrong && `${id}-wrong`].filter(Boolean).join(' ')
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        {...input}
        data-autofocus={input.autoFocus}
        id={id}
        className="input"
        aria-invalid={wrong ? true : undefined}
        aria-describedby={notes || undefined}
      />
      {hint && (
        <p id={`${id}-hint`} className="hint">
          {hint}
        </p>
      )}
      {wrong && (
        <p id={`${id}-wrong`} className="wrong">
          {wrong}
        </p>
      )}
    </div>
  )
}
