import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import type { ResetDetails } from '../../../contract/sessions'
import { requestSession } from '../../data/cache/session'
import { Button } from '../../parts/button'
import { getFieldError } from '../../parts/field'
import { NewPasswordFields } from '../../parts/new-password-fields'
import { ProblemNote } from '../../parts/states'
import { endpoints, paths, routes } from '../../paths'
import { getWorkspaceName, Heading } from './heading'
import { LinkPage } from './link-page'

/** Sets a new password with the link of a mail. */
export default function ResetPasswordPage() {
  return (
    <LinkPage<ResetDetails>
      title="Reset password"
      path={routes.resetPassword}
      endpoint={endpoints.sessionPassword}
      advice="A reset link works once, within an hour. Ask for a new one on the sign-in page."
    >
      {(link, { email }) => <ResetForm link={link} email={email} />}
    </LinkPage>
  )
}

function ResetForm({ link, email }: { link: string; email: string }) {
  const [isMismatch, setMismatch] = useState(false)
  const reset = useMutation({
    mutationFn: (password: string) => requestSession('POST', endpoints.sessionPassword, { link, password }),
  })
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const { password, again } = Object.fromEntries(new FormData(event.currentTarget)) as Record<string, string>
    setMismatch(password !== again)
    if (password === again) reset.mutate(password!)
  }
  if (reset.isSuccess)
    return (
      <>
        <Heading workspace={getWorkspaceName()}>Password changed</Heading>
        <p>You have been signed out everywhere. Sign in with your new password.</p>
        <a className="button primary" href={paths.signIn()}>
          Sign in
        </a>
      </>
    )
  const fieldError = getFieldError(reset.error, 'password')
  return (
    <>
      <Heading workspace={getWorkspaceName()}>Choose a new password</Heading>
      <p>For {email}</p>
      <form className="form" onSubmit={submit}>
        <input type="hidden" name="username" autoComplete="username" value={email} readOnly />
        <NewPasswordFields
          label="New password"
          hint="At least 8 characters."
          autoFocus
          error={fieldError}
          isMismatch={isMismatch}
        />
        {reset.error && !fieldError && <ProblemNote error={reset.error} />}
        <Button type="submit" variant="primary" disabled={reset.isPending}>
          Change password
        </Button>
      </form>
    </>
  )
}
