import type { Member } from '../../../contract/members'
import type { OpenSignInLink as Link } from '../../../contract/sign-in-links'
import { revokeSignInLink, useSignInLink } from '../../data/sign-in-links'
import { Button } from '../../parts/button'
import { useConfirm } from '../../parts/dialog'
import { ProblemNote, Skeleton } from '../../parts/states'
import { Time } from '../../parts/time'
import { Expiry } from '../settings/expiry'

/** For admins: the member's unused sign-in link, and a button to revoke it. */
export function OpenSignInLink({ member }: { member: Member }) {
  const { data: link, error, refetch } = useSignInLink(member.id)
  const [question, ask] = useConfirm()
  if (error) return <ProblemNote error={error} retry={() => void refetch()} />
  if (link === undefined) return <Skeleton width={180} />
  if (link === null) return 'None'
  const revoke = () =>
    ask({
      title: `Revoke the sign-in link for ${member.user.display_name}?`,
      text: 'It can no longer be used to sign in. You can create a new one.',
      label: 'Revoke',
      run: () => void revokeSignInLink(link),
    })
  return (
    <span className="row">
      <LinkFacts link={link} />
      <Button variant="danger" label="Revoke sign-in link" onClick={revoke}>
        Revoke
      </Button>
      {question}
    </span>
  )
}

const LinkFacts = ({ link: { created_by, created_at, expires_at } }: { link: Link }) => (
  <span>
    Created <Time at={created_at} /> by {created_by?.name ?? 'the server operator'}, <Expiry at={expires_at} />
  </span>
)
