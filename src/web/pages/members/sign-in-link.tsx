import { useMutation } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { Member } from '../../../contract/members'
import { createSignInLink } from '../../data/members'
import { Button } from '../../parts/button'
import { Dialog } from '../../parts/dialog'
import { notify } from '../../parts/notices'
import { Loading, ProblemNote, Skeleton } from '../../parts/states'
import { formatExactTime } from '../../parts/time'

/** A single-use sign-in link, created when this dialog opens and shown once. */
export function SignInLinkDialog({ member, close }: { member: Member; close(): void }) {
  return (
    <Dialog title={`Sign-in link for ${member.user.display_name}`} onClose={close}>
      <SignInLink member={member} />
      <div className="row end">
        <Button variant="primary" onClick={close}>
          Done
        </Button>
      </div>
    </Dialog>
  )
}

export function SignInLink({ member }: { member: Member }) {
  const { mutate, data: link, error } = useMutation({ mutationFn: () => createSignInLink(member) })
  useEffect(() => mutate(), [mutate])
  if (error) return <ProblemNote error={error} retry={() => mutate()} />
  if (!link)
    return (
      <Loading what="the link">
        <Skeleton height={32} />
      </Loading>
    )
  return (
    <div className="form">
      <div className="field">
        <label htmlFor="sign-in-link">Link</label>
        <div className="link-to-copy">
          <input
            id="sign-in-link"
            className="input"
            readOnly
            value={link.url}
            onFocus={(event) => event.target.select()}
          />
          <Button icon="copy" autoFocus onClick={() => void copy(link.url)}>
            Copy
          </Button>
        </div>
      </div>
      <p className="meta">
        Works once, until {formatExactTime(link.expires_at)}. Send it only to {member.user.email}: anyone who opens it
        is signed in as <bdi>{member.user.display_name}</bdi>. It is not shown again, and earlier links no longer work.
      </p>
    </div>
  )
}

async function copy(url: string) {
  try {
    await navigator.clipboard.writeText(url)
    notify('Link copied')
  } catch {
    document.querySelector<HTMLInputElement>('#sign-in-link')?.select()
    notify('Could not copy the link. It is selected, so that you can copy it with the keyboard.')
  }
}
