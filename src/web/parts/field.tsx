import { type ComponentProps, type ReactNode, useId } from 'react'
import { ParleyError } from '../../client/error'

/** The error that the server reports for one field. */
export const getFieldError = (error: unknown, name: string): string | undefined =>
  error instanceof ParleyError ? error.errors.find((input) => input.name === name)?.message : undefined

interface Props extends ComponentProps<'input'> {
  label: string
  hint?: ReactNode
  error?: string
}

/** A text field with label, hint and error. */
export function Field({ label, hint, error, ...input }: Props) {
  const id = useId()
  const notes = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ')
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        {...input}
        data-autofocus={input.autoFocus}
        id={id}
        className="input"
        aria-invalid={error ? true : undefined}
        aria-describedby={notes || undefined}
      />
      {hint && (
        <p id={`${id}-hint`} className="hint">
          {hint}
        </p>
      )}
      {error && (
        <p id={`${id}-error`} className="field-error">
          {error}
        </p>
      )}
    </div>
  )
}
