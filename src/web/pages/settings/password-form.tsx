import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useRef, useState } from 'react'
import type { Session } from '../../../contract/sessions'
import { useMe } from '../../data/me'
import { useMember } from '../../data/members'
import { removePassword, setPassword } from '../../data/profile'
import { Button } from '../../parts/button'
import { Field, getFieldError } from '../../parts/field'
import { notify } from '../../parts/notices'
import { ProblemNote } from '../../parts/states'

const JUST_NOW_MS = 10 * 60_000

/** Shortly after signing in, the current password is not required. */
const isFresh = (session: Session | undefined) =>
  session !== undefined && Date.now() - Date.parse(session.created_at) < JUST_NOW_MS

/** Sets, changes or removes the password. */
export function PasswordForm({ current }: { current: Session | undefined }) {
  const { author, has_password } = useMe()
  const email = useMember(author.id).data?.user.email
  const form = useRef<HTMLFormElement>(null)
  const [isDifferent, sayDifferent] = useState(false)
  const [isAskedForCurrent, askForCurrent] = useState(false)
  const read = () => Object.fromEntries(new FormData(form.current!)) as Record<string, string>
  const done = (words: string) => () => {
    form.current!.reset()
    notify(words)
  }
  const set = useMutation({
    mutationFn: () => setPassword(read().password!, read().current),
    onSuccess: done(has_password ? 'The password is changed' : 'The password is set'),
    onError: (failure) => askForCurrent(getFieldError(failure, 'current_password') !== undefined),
  })
  const remove = useMutation({
    mutationFn: () => removePassword(read().current),
    onSuccess: done('There is no password any more: sign in with a link'),
  })
  function submit(event: FormEvent) {
    event.preventDefault()
    const { password, again } = read()
    sayDifferent(password !== again)
    remove.reset()
    if (password === again) set.mutate()
  }
  const error = set.error ?? remove.error
  const wrong = (name: string) => getFieldError(error, name)
  const isBusy = set.isPending || remove.isPending
  return (
    <form ref={form} className="form" onSubmit={submit} aria-label="Password">
      <h2>Password</h2>
      <p className="meta">
        {has_password
          ? 'You sign in with your e-mail address and a password, or with a link that an admin makes.'
          : 'You have none here: you sign in with links that an admin makes. With a password you need no link. If you have one in another workspace of this server, enter that one.'}
      </p>
      <input type="hidden" name="username" autoComplete="username" value={email ?? ''} readOnly />
      {(has_password || isAskedForCurrent) && (
        <Field
          label="Current password"
          name="current"
          type="password"
          autoComplete="current-password"
          required={!has_password || !isFresh(current)}
          hint={
            has_password && isFresh(current)
              ? 'Not needed now, unless you also use it in another workspace: you signed in just now.'
              : undefined
          }
          wrong={wrong('current_password')}
        />
      )}
      <Field
        label={has_password ? 'New password' : 'Password'}
        name="password"
        type="password"
        autoComplete="new-password"
        minLength={8}
        maxLength={200}
        required
        hint="At least 8 characters. All other browsers are signed out, in every workspace that you use it in."
        wrong={wrong('password')}
      />
      <Field
        label="The same again"
        name="again"
        type="password"
        autoComplete="new-password"
        required
        wrong={isDifferent ? 'It is not the same.' : undefined}
      />
      {error && !wrong('password') && !wrong('current_password') && <ProblemNote error={error} />}
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
