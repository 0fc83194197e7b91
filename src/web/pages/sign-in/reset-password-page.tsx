import { useMutation, useQuery } from '@tanstack/react-query'
import { type FormEvent, useEffect, useState } from 'react'
import type { ResetDetails } from '../../../contract/sessions'
import { requestSession } from '../../data/session'
import { Button } from '../../parts/button'
import { Field, getFieldError } from '../../parts/field'
import { Loading, ProblemNote, Skeleton } from '../../parts/states'
import { endpoints, paths, routes } from '../../paths'
import { getWorkspaceName, Heading } from './heading'
import { LinkProblem } from './link-problem'
import { useLinkToken } from './use-link-token'

const ADVICE = 'A reset link works once, within an hour. Ask for a new one on the sign-in page.'

/** Sets a new password with the link of a mail. */
export default function ResetPasswordPage() {
  const link = useLinkToken(routes.resetPassword)
  useEffect(() => {
    document.title = 'Reset password · Parley'
  }, [])
  return (
    <main className="sign-in" id="main">
      <div className="sign-in-card">
        {link ? <ResetForm key={link} link={link} /> : <LinkProblem error={undefined} advice={ADVICE} />}
      </div>
    </main>
  )
}

function ResetForm({ link }: { link: string }) {
  const [isMismatch, setMismatch] = useState(false)
  const details = useQuery({
    queryKey: ['password-reset', link],
    queryFn: () => requestSession<ResetDetails>('POST', endpoints.sessionPassword, { link }),
    retry: false,
    gcTime: 0,
  })
  const reset = useMutation({
    mutationFn: (password: string) => requestSession('POST', endpoints.sessionPassword, { link, password }),
  })
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const { password, again } = Object.fromEntries(new FormData(event.currentTarget)) as Record<string, string>
    setMismatch(password !== again)
    if (password === again) reset.mutate(password!)
  }
  if (details.error) return <LinkProblem error={details.error} advice={ADVICE} retry={() => void details.refetch()} />
  if (!details.data)
    return (
      <Loading what="the link">
        <Skeleton width={260} height={24} />
      </Loading>
    )
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
      <p>For {details.data.email}</p>
      <form className="form" onSubmit={submit}>
        <input type="hidden" name="username" autoComplete="username" value={details.data.email} readOnly />
        <Field
          label="New password"
          name="password"
          type="password"
          autoComplete="new-password"
          minLength={8}
          maxLength={200}
          required
          autoFocus
          hint="At least 8 characters."
          error={fieldError}
        />
        <Field
          label="Confirm password"
          name="again"
          type="password"
          autoComplete="new-password"
          required
          error={isMismatch ? 'The passwords do not match.' : undefined}
        />
        {reset.error && !fieldError && <ProblemNote error={reset.error} />}
        <Button type="submit" variant="primary" disabled={reset.isPending}>
          Change password
        </Button>
      </form>
    </>
  )
}
