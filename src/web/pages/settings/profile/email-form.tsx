import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { cancelEmailChange, changeEmail, useEmail, useMe, useNotificationSettings } from '../../../data/me'
import { Button } from '../../../parts/button'
import { Field, getFieldError } from '../../../parts/field'
import { notify, notifyProblem } from '../../../parts/notices'
import { ProblemNote } from '../../../parts/states'

/** Changes the e-mail address, once the new one is confirmed. */
export function EmailForm() {
  const email = useEmail()
  const settings = useNotificationSettings()
  if (email.error) return <ProblemNote error={email.error} retry={() => void email.refetch()} />
  if (!email.data) return null
  const { email: current, pending_email } = email.data
  return pending_email ? (
    <PendingChange current={current} pending={pending_email} />
  ) : (
    <ChangeForm key={current} current={current} isPossible={settings.data?.is_mail_configured ?? false} />
  )
}

function ChangeForm({ current, isPossible }: { current: string; isPossible: boolean }) {
  const { has_password } = useMe()
  const [text, setText] = useState(current)
  const change = useMutation({
    mutationFn: ({ email, password }: { email: string; password?: string }) => changeEmail(email, password),
    onSuccess: () => notify('Check your new inbox for the confirmation link'),
  })
  const fieldError = getFieldError(change.error, 'email')
  const passwordError = getFieldError(change.error, 'current_password')
  const isChanged = text.trim().toLowerCase() !== current
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const password = new FormData(event.currentTarget).get('current') as string | null
    change.mutate({ email: text.trim(), password: password || undefined })
  }
  return (
    <form className="form" onSubmit={submit}>
      <div className="field-and-button">
        <Field
          label="E-mail"
          name="email"
          type="email"
          value={text}
          onChange={(event) => setText(event.target.value)}
          maxLength={254}
          required
          readOnly={!isPossible}
          autoComplete="email"
          hint={isPossible ? undefined : 'E-mail is not set up on this server, so your address can’t be changed.'}
          error={fieldError}
        />
        {isPossible && (
          <Button
            type="submit"
            disabled={change.isPending}
            disabledReason={isChanged ? undefined : 'This is already your e-mail address.'}
          >
            Change
          </Button>
        )}
      </div>
      {isChanged && has_password && (
        <Field
          label="Current password"
          name="current"
          type="password"
          autoComplete="current-password"
          hint="Also changes your address in other workspaces where you use this password."
          error={passwordError}
        />
      )}
      {change.error && !fieldError && !passwordError && <ProblemNote error={change.error} />}
    </form>
  )
}

const PendingChange = ({ current, pending }: { current: string; pending: string }) => (
  <section className="form" aria-label="E-mail">
    <p>
      Your e-mail address is {current}. To change it to <strong>{pending}</strong>, open the link we sent there. It
      works for a day.
    </p>
    <div className="row">
      <Button
        onClick={() =>
          void cancelEmailChange().catch((error) => notifyProblem('Your address change was not canceled.', error))
        }
      >
        Cancel change
      </Button>
    </div>
  </section>
)
