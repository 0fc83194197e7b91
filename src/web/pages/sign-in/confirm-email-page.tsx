import { useMutation } from '@tanstack/react-query'
import type { EmailChangeDetails } from '../../../contract/sessions'
import { requestSession } from '../../data/cache/session'
import { Button } from '../../parts/button'
import { ProblemNote } from '../../parts/states'
import { endpoints, paths, routes } from '../../paths'
import { Heading } from './heading'
import { LinkPage } from './link-page'

/** Confirms a new e-mail address with the link of a mail to it. */
export default function ConfirmEmailPage() {
  return (
    <LinkPage<EmailChangeDetails>
      title="Confirm e-mail"
      path={routes.confirmEmail}
      endpoint={endpoints.sessionEmail}
      advice="A confirmation link works once, within a day. You can change your address again in the settings."
    >
      {(link, details) => <Confirmation link={link} {...details} />}
    </LinkPage>
  )
}

function Confirmation({ link, email, workspace }: EmailChangeDetails & { link: string }) {
  const confirm = useMutation({
    mutationFn: () => requestSession('POST', endpoints.sessionEmail, { link, confirm: true }),
  })
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
        From now on you’ll use {email} at {workspace.name}.
      </p>
      {confirm.error && <ProblemNote error={confirm.error} />}
      <Button variant="primary" onClick={() => confirm.mutate()} disabled={confirm.isPending} autoFocus>
        Confirm e-mail address
      </Button>
    </>
  )
}
