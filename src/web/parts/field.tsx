import { type ComponentProps, type ReactNode, useId } from 'react'
import { ApiError } from '../../client/errors'

/** The error that the server reports for one field. */
export const getFieldError = (error: unknown, name: string): string | undefined =>
  error instanceof ApiError ? error.errors.find((input) => input.name === name)?.message : undefined

interface Props extends ComponentProps<'input'> {
  label: string
  /** A link beside the label. */
  labelEnd?: ReactNode
  hint?: ReactNode
  error?: string
}

/** A text field with label, hint and error. */
export function Field({ label, labelEnd, hint, error, ...input }: Props) {
  const id = useId()
  const notes = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ')
  return (
    <div className="field">
      <div className="field-label">
        <label htmlFor={id}>{label}</label>
        {labelEnd}
      </div>
      <input
        data-autofocus={input.autoFocus}
        {...input}
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

/** The name of something that one creates or renames: `name` in the form. */
export const NameField = (input: Omit<Props, 'label' | 'name'>) => (
  <Field label="Name" name="name" maxLength={100} required autoComplete="off" {...input} />
)
