import { useMutation, useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { EmailChangeDetails } from '../../../contract/sessions'
import { requestSession } from '../../data/session'
import { Button } from '../../parts/button'
import { Loading, ProblemNote, Skeleton } from '../../parts/states'
import { endpoints, paths, routes } from '../../paths'
import { Heading } from './heading'
import { LinkProblem } from './link-problem'
import { useLinkToken } from './use-link-token'

const ADVICE = 'A confirmation link works once, within a day. You can change your address again in the settings.'

/** Confirms a new e-mail address with the link of a mail to it. */
export default function ConfirmEmailPage() {
  const link = useLinkToken(routes.confirmEmail)
  useEffect(() => {
    document.title = 'Confirm e-mail · Parley'
  }, [])
  return (
    <main className="sign-in" id="main">
      <div className="sign-in-card">
        {link ? <Confirmation key={link} link={link} /> : <LinkProblem error={undefined} advice={ADVICE} />}
      </div>
    </main>
  )
}

function Confirmation({ link }: { link: string }) {
  const details = useQuery({
    queryKey: ['email-change', link],
    queryFn: () => requestSession<EmailChangeDetails>('POST', endpoints.sessionEmail, { link }),
    retry: false,
    gcTime: 0,
  })
  const confirm = useMutation({
    mutationFn: () => requestSession('POST', endpoints.sessionEmail, { link, confirm: true }),
  })
  if (details.error) return <LinkProblem error={details.error} advice={ADVICE} retry={() => void details.refetch()} />
  if (!details.data)
    return (
      <Loading what="the link">
        <Skeleton width={260} height={24} />
      </Loading>
    )
  const { name, email, workspace } = details.data
  if (confirm.isSuccess)
    return (
      <>
        <Heading workspace={workspace.name}>E-mail address changed</Heading>
        <p>Your address is {email} now.</p>
        <a className="button primary" href={paths.home}>
          Open {workspace.name}
        </a>
      </>
    )
  return (
    <>
      <Heading workspace={workspace.name}>Confirm your e-mail address</Heading>
      <p>
        {name}, from now on you’ll use {email} at {workspace.name}.
      </p>
      {confirm.error && <ProblemNote error={confirm.error} />}
      <Button variant="primary" onClick={() => confirm.mutate()} disabled={confirm.isPending} autoFocus>
        Confirm e-mail address
      </Button>
    </>
  )
}
