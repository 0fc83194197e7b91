import { useMutation, useQuery } from '@tanstack/react-query'
import { type FormEvent, useEffect, useState } from 'react'
import { useSearch } from 'wouter'
import { ApiError } from '../../../client'
import type { LinkDetails, SignedIn, SignInOptions } from '../../../contract/sessions'
import { requestSession } from '../../data/cache/session'
import { claimStored, readAccount } from '../../data/cache/storage'
import { Button } from '../../parts/button'
import { Dialog } from '../../parts/dialog'
import { Field } from '../../parts/field'
import { FormDialog } from '../../parts/form-dialog'
import { getErrorMessage, Loading, ProblemNote, Skeleton } from '../../parts/states'
import { endpoints, paths } from '../../paths'
import { getWorkspaceName, Heading } from './heading'
import { useLinkToken } from './use-link-token'

/** Signs in with a single-use link, or with e-mail address and password. */
export default function SignInPage() {
  const query = new URLSearchParams(useSearch())
  const link = useLinkToken(paths.signIn())
  useEffect(() => {
    document.title = 'Sign in · Parley'
  }, [])
  return (
    <main className="sign-in" id="main">
      <div className="sign-in-card">
        {link ? <ByLink key={link} link={link} /> : <ByPassword to={toInternalPath(query.get('to'))} />}
      </div>
    </main>
  )
}

/** Accepts only paths within this app. To browsers, `/\\host` and `//host` are other hosts. */
function toInternalPath(to: string | null): string {
  if (!to?.startsWith('/') || !URL.canParse(to, location.origin)) return paths.home
  const { origin, href } = new URL(to, location.origin)
  return origin === location.origin ? href : paths.home
}

/** Reloads the app so that nothing of a previous member stays in memory. What the same member was writing is still stored. */
function enter({ member, workspace }: SignedIn, email: string, to: string) {
  claimStored({ id: member.id, workspace, email })
  location.replace(to)
}

function ByLink({ link }: { link: string }) {
  const details = useQuery({
    queryKey: ['sign-in-link', link],
    queryFn: () => requestSession<LinkDetails>('POST', endpoints.sessionLink, { link }),
    retry: false,
    gcTime: 0,
  })
  const signIn = useMutation({
    mutationFn: () => requestSession<SignedIn>('POST', endpoints.session, { link }),
    onSuccess: (signedIn) => enter(signedIn, details.data!.email, paths.home),
  })
  if (details.error)
    return isExpired(details.error) ? <ExpiredLink /> : <ProblemNote error={details.error} retry={details.refetch} />
  if (!details.data)
    return (
      <Loading what="the link">
        <Skeleton width={260} height={24} />
      </Loading>
    )
  const { name, workspace } = details.data
  return (
    <>
      <Heading workspace={workspace.name} />
      <p>You will be signed in as {name}. The link works once.</p>
      {signIn.error && <ProblemNote error={signIn.error} />}
      <Button variant="primary" onClick={() => signIn.mutate()} disabled={signIn.isPending} autoFocus>
        Sign in
      </Button>
    </>
  )
}

const isExpired = (error: Error) => error instanceof ApiError && error.status === 410

const ExpiredLink = () => (
  <>
    <Heading workspace={getWorkspaceName()}>This link is no longer valid</Heading>
    <p>A sign-in link works once, for a limited time. Ask for a new one.</p>
    <a className="button" href={paths.signIn()}>
      Sign in with a password
    </a>
  </>
)

function ByPassword({ to }: { to: string }) {
  const [needsWorkspace, setNeedsWorkspace] = useState(false)
  const account = readAccount()
  const signIn = useMutation({
    mutationFn: (credentials: { email?: string }) => requestSession<SignedIn>('POST', endpoints.session, credentials),
    onSuccess: (signedIn, { email }) => enter(signedIn, email!, to),
    onError: (error) => {
      if (error instanceof ApiError && error.errors.some(({ name }) => name === 'workspace')) setNeedsWorkspace(true)
    },
  })
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const credentials = Object.fromEntries([...new FormData(event.currentTarget)].filter(([, value]) => value !== ''))
    signIn.mutate(credentials)
  }
  return (
    <>
      <Heading workspace={getWorkspaceName()} />
      {account && history.state?.isEnded ? (
        <p role="status">You have been signed out. Sign in again to go on.</p>
      ) : (
        <p>Use the e-mail address you were invited with.</p>
      )}
      <form className="form" onSubmit={submit}>
        <Field
          label="E-mail"
          name="email"
          type="email"
          autoComplete="username"
          required
          defaultValue={account?.email}
          autoFocus={!account?.email}
        />
        <Field
          label="Password"
          name="password"
          type="password"
          autoComplete="current-password"
          required
          autoFocus={account?.email !== undefined}
        />
        {needsWorkspace && (
          <Field label="Workspace" name="workspace" defaultValue={account?.workspace.slug} required autoFocus />
        )}
        {signIn.error && <SignInError error={signIn.error} />}
        <Button type="submit" variant="primary" disabled={signIn.isPending}>
          Sign in
        </Button>
      </form>
      <MailLinks />
      <p className="sign-in-note">No password yet? Open your sign-in link, or ask an admin for one.</p>
    </>
  )
}

/** One sentence if the input is wrong; any other error with its request id. */
const SignInError = ({ error }: { error: Error }) =>
  error instanceof ApiError && error.status < 500 ? (
    <p className="field-error" role="alert">
      {getErrorMessage(error)}
    </p>
  ) : (
    <ProblemNote error={error} />
  )

type MailType = 'password_reset' | 'sign_in_link'

const texts: Record<MailType, { title: string; text: string; label: string }> = {
  password_reset: {
    title: 'Reset your password',
    text: 'We’ll e-mail you a link to choose a new password.',
    label: 'Send reset link',
  },
  sign_in_link: {
    title: 'E-mail me a sign-in link',
    text: 'We’ll e-mail you a link that signs you in without a password.',
    label: 'Send sign-in link',
  },
}

/** Ways in by e-mail, if the server can send any. */
function MailLinks() {
  const [kind, setKind] = useState<MailType>()
  const options = useQuery({
    queryKey: ['sign-in-options'],
    queryFn: () => requestSession<SignInOptions>('GET', endpoints.sessionOptions),
  })
  if (!options.data?.is_mail_configured) return null
  return (
    <div className="sign-in-mail">
      <Button onClick={() => setKind('sign_in_link')}>E-mail me a sign-in link</Button>
      <Button variant="plain" onClick={() => setKind('password_reset')}>
        Forgot password?
      </Button>
      {kind && <MailDialog kind={kind} close={() => setKind(undefined)} />}
    </div>
  )
}

function MailDialog({ kind, close }: { kind: MailType; close(): void }) {
  const request = useMutation({
    mutationFn: (email: string) => requestSession('POST', endpoints.sessionMail, { kind, email }),
  })
  const { title, text, label } = texts[kind]
  if (request.isSuccess)
    return (
      <Dialog title="Check your e-mail" onClose={close}>
        <p>If {request.variables} belongs to an account here, a link is on its way. It works once, within an hour.</p>
        <div className="row end">
          <Button variant="primary" onClick={close}>
            Done
          </Button>
        </div>
      </Dialog>
    )
  return (
    <FormDialog
      title={title}
      label={label}
      close={close}
      send={(form) => request.mutate(String(form.get('email')))}
      isPending={request.isPending}
      error={request.error}
    >
      <p>{text}</p>
      <Field label="E-mail" name="email" type="email" autoComplete="username" required autoFocus />
    </FormDialog>
  )
}
