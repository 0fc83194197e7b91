import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useRef, useState } from 'react'
import type { Session } from '../../../../contract/sessions'
import { removePassword, setPassword, useMe } from '../../../data/me'
import { useMember } from '../../../data/members'
import { Button } from '../../../parts/button'
import { Field, getFieldError } from '../../../parts/field'
import { NewPasswordFields } from '../../../parts/new-password-fields'
import { notify } from '../../../parts/notices'
import { ProblemNote } from '../../../parts/states'

const RECENT_MS = 10 * 60_000

/** Shortly after signing in, the current password is not required. */
const isRecent = (session: Session | undefined) =>
  session !== undefined && Date.now() - Date.parse(session.created_at) < RECENT_MS

/** Sets, changes or removes the password. */
export function PasswordForm({ current }: { current: Session | undefined }) {
  const { author, has_password } = useMe()
  const email = useMember(author.id).data?.user.email
  const form = useRef<HTMLFormElement>(null)
  const [isMismatch, setMismatch] = useState(false)
  const [needsCurrent, setNeedsCurrent] = useState(false)
  const read = () => Object.fromEntries(new FormData(form.current!)) as Record<string, string>
  const resetAndNotify = (message: string) => () => {
    form.current!.reset()
    notify(message)
  }
  const set = useMutation({
    mutationFn: () => setPassword(read().password!, read().current),
    onSuccess: resetAndNotify(has_password ? 'Password changed' : 'Password set'),
    onError: (failure) => setNeedsCurrent(getFieldError(failure, 'current_password') !== undefined),
  })
  const remove = useMutation({
    mutationFn: () => removePassword(read().current),
    onSuccess: resetAndNotify('Password removed. Use a sign-in link from now on.'),
  })
  function submit(event: FormEvent) {
    event.preventDefault()
    const { password, again } = read()
    setMismatch(password !== again)
    remove.reset()
    if (password === again) set.mutate()
  }
  const error = set.error ?? remove.error
  const fieldError = (name: string) => getFieldError(error, name)
  const isBusy = set.isPending || remove.isPending
  return (
    <form ref={form} className="form" onSubmit={submit} aria-label="Password">
      <h2>Password</h2>
      <p className="meta">
        {has_password
          ? 'You sign in with your e-mail address and password, or with a sign-in link from an admin.'
          : 'You have no password here and sign in with links from an admin. If you have a password in another workspace on this server, enter that one.'}
      </p>
      <input type="hidden" name="username" autoComplete="username" value={email ?? ''} readOnly />
      {(has_password || needsCurrent) && (
        <Field
          label="Current password"
          name="current"
          type="password"
          autoComplete="current-password"
          required={!has_password || !isRecent(current)}
          hint={
            has_password && isRecent(current)
              ? 'Not required, because you signed in recently, unless you also use it in another workspace.'
              : undefined
          }
          error={fieldError('current_password')}
        />
      )}
      <NewPasswordFields
        label={has_password ? 'New password' : 'Password'}
        hint="At least 8 characters. Signs out all your other browsers, in every workspace where you use this password."
        error={fieldError('password')}
        isMismatch={isMismatch}
      />
      {error && !fieldError('password') && !fieldError('current_password') && <ProblemNote error={error} />}
      <div className="row">
        <Button type="submit" variant="primary" disabled={isBusy}>
          {has_password ? 'Change password' : 'Set password'}
        </Button>
        {has_password && (
          <Button
            variant="danger"
            disabled={isBusy}
            onClick={() => {
              set.reset()
              remove.mutate()
            }}
          >
            Remove password
          </Button>
        )}
      </div>
    </form>
  )
}
