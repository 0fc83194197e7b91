import { useMutation } from '@tanstack/react-query'
import { useId, useState } from 'react'
import type { Scope } from '../../../../contract/operation'
import type { NewToken, Token } from '../../../../contract/tokens'
import { usePermissions } from '../../../data/me'
import { createToken, revokeToken, type TokenOwner, useTokens } from '../../../data/sessions'
import { Button } from '../../../parts/button'
import { Check } from '../../../parts/check'
import { useConfirm } from '../../../parts/dialog'
import { Field, getFieldError, NameField } from '../../../parts/field'
import { FormDialog } from '../../../parts/form-dialog'
import { Empty, ProblemNote } from '../../../parts/states'
import { Time } from '../../../parts/time'
import { endpoints } from '../../../paths'
import { CopyableCode, Expiry, RowSkeleton, SecretNote } from '../parts'

/** Tokens of the member or of an app: create, show once, revoke. */
export function Tokens({ owner, canCreate = true }: { owner: TokenOwner; canCreate?: boolean }) {
  const tokens = useTokens(owner)
  const [isCreating, setCreating] = useState(false)
  const [created, setCreated] = useState<NewToken>()
  const [question, ask] = useConfirm()
  const revoke = (token: Token) =>
    ask({
      title: `Revoke ${token.name || 'this token'}?`,
      text: 'Programs that use it lose access immediately. This cannot be undone.',
      label: 'Revoke',
      run: () => {
        if (created?.id === token.id) setCreated(undefined)
        void revokeToken(owner, token)
      },
    })
  const newToken = canCreate && (
    <Button icon="plus" onClick={() => setCreating(true)}>
      New token
    </Button>
  )
  return (
    <>
      {created && (
        <SecretNote title={created.name || 'New token'} secret={created.token} dismiss={() => setCreated(undefined)}>
          <p className="meta">Try it in a terminal:</p>
          <CopyableCode
            label="Copy command"
            text={`curl -H "Authorization: Bearer ${created.token}" ${location.origin}${endpoints.me}`}
          />
        </SecretNote>
      )}
      {tokens.error && !tokens.data && <ProblemNote error={tokens.error} retry={() => void tokens.refetch()} />}
      {!tokens.data && !tokens.error && <RowSkeleton what="tokens" />}
      {tokens.data?.length === 0 && (
        <Empty title="No tokens yet" action={newToken}>
          {owner ? 'The app needs a token to use the API.' : 'A program needs a token to act on your behalf.'}
        </Empty>
      )}
      {tokens.data && tokens.data.length > 0 && (
        <>
          <ul className="rows" aria-label="Tokens">
            {tokens.data.map((token) => (
              <TokenRow key={token.id} token={token} revoke={() => revoke(token)} />
            ))}
          </ul>
          {newToken && <div>{newToken}</div>}
        </>
      )}
      {isCreating && <TokenForm owner={owner} close={() => setCreating(false)} done={setCreated} />}
      {question}
    </>
  )
}

const scopeLabels = { read: 'Read', write: 'Read and write', admin: 'Full access' }
const getWidestScope = ({ scopes }: Token) =>
  (['admin', 'write', 'read'] as const).find((scope) => scopes.includes(scope))!

function TokenRow({ token, revoke }: { token: Token; revoke(): void }) {
  const { name, created_at, expires_at, last_used_at } = token
  return (
    <li className="rows-item">
      <div>
        <p className="rows-name">{name || 'Unnamed'}</p>
        <p className="meta">
          {scopeLabels[getWidestScope(token)]} · created <Time at={created_at} /> ·{' '}
          {last_used_at ? (
            <>
              last used <Time at={last_used_at} />
            </>
          ) : (
            'never used'
          )}{' '}
          · {expires_at ? <Expiry at={expires_at} /> : 'does not expire'}
        </p>
      </div>
      <Button variant="danger" label={`Revoke ${name || 'the unnamed token'}`} onClick={revoke}>
        Revoke
      </Button>
    </li>
  )
}

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

function TokenForm({ owner, close, done }: Props) {
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
        {isAdmin && (
          <Check
            type="radio"
            name="scope"
            value="admin"
            label="Full access, as an admin"
            hint="Includes members, channels, apps and webhooks."
          />
        )}
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
