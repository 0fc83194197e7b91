import { useMutation } from '@tanstack/react-query'
import { useId, useState } from 'react'
import type { Scope } from '../../../contract/operation'
import type { NewToken } from '../../../contract/tokens'
import { usePermissions } from '../../data/me'
import { createToken, type TokenOwner } from '../../data/tokens'
import { Check } from '../../parts/check'
import { Field, getFieldError, NameField } from '../../parts/field'
import { FormDialog } from '../../parts/form-dialog'

interface Props {
  owner: TokenOwner
  close(): void
  done(token: NewToken): void
}

/** Lifetimes in days; `day` lets the user pick a date. */
const lifetimes = [
  ['30', '30 days'],
  ['90', '90 days'],
  ['365', '1 year'],
  ['', 'No expiration'],
  ['day', 'Choose a date…'],
] as const

const DAY_MS = 24 * 60 * 60 * 1000

export function TokenForm({ owner, close, done }: Props) {
  const { isAdmin } = usePermissions()
  const [lifetime, setLifetime] = useState('90')
  const lifetimeId = useId()
  const create = useMutation({
    mutationFn: (form: FormData) =>
      createToken(owner, {
        name: String(form.get('name')).trim(),
        scopes: [form.get('scope') as Scope],
        expires_at: getExpiry(lifetime, form.get('day')),
      }),
    onSuccess: (token) => {
      close()
      done(token)
    },
  })
  return (
    <FormDialog
      title="New token"
      label="Create token"
      close={close}
      send={create.mutate}
      isPending={create.isPending}
      error={create.error}
    >
      <NameField autoFocus hint="Helps you recognize it later." error={getFieldError(create.error, 'name')} />
      <fieldset className="choices">
        <legend>Permissions</legend>
        <Check type="radio" name="scope" value="read" label="Read" defaultChecked />
        <Check type="radio" name="scope" value="write" label="Read and write" />
        <Check
          type="radio"
          name="scope"
          value="admin"
          label="Full access, as an admin"
          hint={isAdmin ? 'Includes members, channels, apps and webhooks.' : 'Only admins can grant this.'}
          disabledReason={isAdmin ? undefined : 'Only admins can grant this.'}
        />
      </fieldset>
      <div className="field">
        <label htmlFor={lifetimeId}>Expiration</label>
        <select
          id={lifetimeId}
          className="input"
          value={lifetime}
          onChange={(event) => setLifetime(event.target.value)}
        >
          {lifetimes.map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      </div>
      {lifetime === 'day' && (
        <Field
          label="Last day"
          name="day"
          type="date"
          required
          min={new Date(Date.now() + DAY_MS).toISOString().slice(0, 10)}
          error={getFieldError(create.error, 'expires_at')}
        />
      )}
    </FormDialog>
  )
}

/** When the token expires: at the end of the picked day, or that many days from now. */
function getExpiry(lifetime: string, day: FormDataEntryValue | null): string | undefined {
  if (lifetime === '') return undefined
  if (lifetime === 'day') return new Date(`${day}T23:59:59`).toISOString()
  return new Date(Date.now() + Number(lifetime) * DAY_MS).toISOString()
}
