import type { ReactNode } from 'react'
import { Field } from './field'

interface Props {
  label: string
  hint: ReactNode
  autoFocus?: boolean
  error: string | undefined
  isMismatch: boolean
}

/** A new password, and once more: `password` and `again` in the form. */
export const NewPasswordFields = ({ isMismatch, ...password }: Props) => (
  <>
    <Field
      name="password"
      type="password"
      autoComplete="new-password"
      minLength={8}
      maxLength={200}
      required
      {...password}
    />
    <Field
      label="Confirm password"
      name="again"
      type="password"
      autoComplete="new-password"
      required
      error={isMismatch ? 'The passwords do not match.' : undefined}
    />
  </>
)
