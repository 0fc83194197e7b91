import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { ApiError } from '../../../client'
import type { Role } from '../../../contract/members'
import { inviteMember } from '../../data/members'
import { Button } from '../../parts/button'
import { Dialog } from '../../parts/dialog'
import { Field, getFieldError } from '../../parts/field'
import { ProblemNote } from '../../parts/states'
import { RoleChoice } from './role-choice'
import { SignInLink } from './sign-in-link'

/** Invites a member, then shows their sign-in link. */
export function InviteDialog({ close }: { close(): void }) {
  const [email, setEmail] = useState('')
  const [name, setName] = useState('')
  const [role, setRole] = useState<Role>('member')
  const invite = useMutation({ mutationFn: () => inviteMember({ email, display_name: name, role }) })

  if (invite.data)
    return (
      <Dialog title={`${invite.data.user.display_name} was added`} onClose={close}>
        <SignInLink member={invite.data} />
        <div className="row end">
          <Button variant="primary" onClick={close}>
            Done
          </Button>
        </div>
      </Dialog>
    )

  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!invite.isPending) invite.mutate()
  }
  const isTaken = invite.error instanceof ApiError && invite.error.code === 'email_taken'
  const emailError = isTaken ? (invite.error as ApiError).detail : getFieldError(invite.error, 'email')
  const nameError = getFieldError(invite.error, 'display_name')
  return (
    <Dialog title="Invite a member" onClose={close}>
      <form className="form" onSubmit={submit} noValidate>
        <Field
          label="E-mail address"
          type="email"
          autoComplete="off"
          value={email}
          onChange={(event) => setEmail(event.target.value)}
          error={emailError}
        />
        <Field
          label="Name"
          autoComplete="off"
          value={name}
          onChange={(event) => setName(event.target.value)}
          error={nameError}
        />
        <RoleChoice value={role} onChange={setRole} />
        {invite.error && !emailError && !nameError && <ProblemNote error={invite.error} />}
        <div className="row end">
          <Button onClick={close}>Cancel</Button>
          <Button type="submit" variant="primary" aria-disabled={invite.isPending}>
            Invite
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
