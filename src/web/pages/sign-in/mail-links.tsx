import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { SignInOptions } from '../../../contract/sessions'
import { requestSession } from '../../data/session'
import { Button } from '../../parts/button'
import { Dialog } from '../../parts/dialog'
import { Field } from '../../parts/field'
import { FormDialog } from '../../parts/form-dialog'
import { endpoints } from '../../paths'

type Kind = 'password_reset' | 'sign_in_link'

const texts: Record<Kind, { title: string; text: string; label: string }> = {
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
export function MailLinks() {
  const [kind, setKind] = useState<Kind>()
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

function MailDialog({ kind, close }: { kind: Kind; close(): void }) {
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
