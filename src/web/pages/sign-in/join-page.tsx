import { useMutation } from '@tanstack/react-query'
import type { FormEvent } from 'react'
import type { InviteDetails, SignedIn } from '../../../contract/sessions'
import { requestSession } from '../../data/cache/session'
import { claimStored } from '../../data/cache/storage'
import { Button } from '../../parts/button'
import { Field, getFieldError } from '../../parts/field'
import { ProblemNote } from '../../parts/states'
import { WorkspaceIcon } from '../../parts/workspace-icon'
import { endpoints, paths, routes } from '../../paths'
import { LinkPage } from './link-page'

/** Joins a workspace by an invite link, or by the link of a mail that confirms an address. */
export default function JoinPage() {
  return (
    <LinkPage<InviteDetails>
      title="Join"
      path={routes.join}
      endpoint={endpoints.sessionInvite}
      advice="The invite link has expired, was used as often as it can be, or was turned off. Ask whoever sent it for a new one."
    >
      {(link, details) => <JoinForm link={link} details={details} />}
    </LinkPage>
  )
}

const roleNotes: Record<InviteDetails['role'], string> = {
  member: 'You can read and write.',
  viewer: 'You can read.',
  guest: 'You can read and write in the channels you are added to.',
}

function JoinForm({ link, details }: { link: string; details: InviteDetails }) {
  const { workspace, icon_url, role, email_domain, email: confirmed, name, is_mail_configured } = details
  const join = useMutation({
    mutationFn: (body: Record<string, string>) =>
      requestSession<Partial<SignedIn>>('POST', endpoints.sessionJoin, { link, ...body }),
    onSuccess({ member, workspace: joined }, { email }) {
      if (!member || !joined) return
      // Nothing of whoever was signed in before stays in memory.
      claimStored({ id: member.id, workspace: joined, email: confirmed ?? email! })
      location.replace(paths.home)
    },
  })
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const entries = [...new FormData(event.currentTarget)].map(([field, value]) => [field, String(value).trim()])
    join.mutate(Object.fromEntries(entries.filter(([, value]) => value !== '')))
  }
  const head = (text: string) => (
    <>
      <WorkspaceIcon name={workspace.name} src={icon_url} />
      <h1 dir="auto">{text}</h1>
    </>
  )
  if (join.isSuccess && !join.data.member)
    return (
      <>
        {head('Check your e-mail')}
        <p>
          We’ve sent a link to {join.variables.email}. It confirms that the address is yours, and works once, within a
          day.
        </p>
        <Button onClick={() => join.reset()}>Use another address</Button>
      </>
    )
  const asksEmail = confirmed === null
  const asksName = confirmed !== null || !is_mail_configured
  const [emailError, nameError] = [getFieldError(join.error, 'email'), getFieldError(join.error, 'display_name')]
  return (
    <>
      {head(`Join ${workspace.name}`)}
      <p>
        {confirmed === null ? 'You were invited.' : `As ${confirmed}.`} {roleNotes[role]}
      </p>
      <form className="form" onSubmit={submit}>
        {asksEmail && (
          <Field
            label="E-mail"
            name="email"
            type="email"
            autoComplete="email"
            required
            autoFocus
            hint={email_domain ? `An address of ${email_domain}.` : undefined}
            error={emailError}
          />
        )}
        {asksName && (
          <Field
            label="Your name"
            name="display_name"
            autoComplete="name"
            maxLength={100}
            required
            autoFocus={!asksEmail}
            defaultValue={name ?? ''}
            error={nameError}
          />
        )}
        {join.error && !emailError && !nameError && <ProblemNote error={join.error} />}
        <Button type="submit" variant="primary" disabled={join.isPending}>
          {asksName ? `Join ${workspace.name}` : 'Continue'}
        </Button>
      </form>
      <p className="sign-in-note">
        Already a member? <a href={paths.signIn()}>Sign in</a>
      </p>
    </>
  )
}
