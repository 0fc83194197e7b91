import { Link } from 'wouter'
import type { LinkedInvitation } from '../../data/invitations'
import { Button } from '../../parts/button'
import { copyText } from '../../parts/copy-link'
import { Icon } from '../../parts/icon'
import { paths } from '../../paths'

interface Props {
  results: LinkedInvitation[]
  isMailConfigured: boolean
  inviteMore(): void
  close(): void
}

/** What became of each address; on a server without mail, with the links to pass on. */
export function InviteResults({ results, isMailConfigured, inviteMore, close }: Props) {
  const linked = results.filter(({ url }) => url !== undefined)
  return (
    <>
      {!isMailConfigured && linked.length > 0 && (
        <p>
          This server sends no e-mail. Send each person their link yourself: it signs them in, once, within a week, and
          is not shown again.
        </p>
      )}
      <ul className="invite-results" aria-label="Addresses">
        {results.map((result) => (
          <Result key={result.email} {...result} needsLink={!isMailConfigured} />
        ))}
      </ul>
      <div className="row end">
        {linked.length > 1 && (
          <Button
            icon="copy"
            onClick={() => void copyText(linked.map(({ email, url }) => `${email}: ${url}`).join('\n'))}
          >
            Copy all
          </Button>
        )}
        <Button onClick={inviteMore}>Invite more</Button>
        <Button variant="primary" onClick={close} autoFocus>
          Done
        </Button>
      </div>
    </>
  )
}

function Result({ email, status, member, url, needsLink }: LinkedInvitation & { needsLink: boolean }) {
  const isInvited = status === 'invited'
  return (
    <li>
      <span className={isInvited ? 'good' : 'faint'}>
        <Icon name={isInvited ? 'check' : 'warning'} />
      </span>
      <span className="invite-address">
        {email}
        {url && <input className="input" readOnly aria-label={`Link for ${email}`} value={url} />}
      </span>
      {url ? (
        <Button icon="copy" label={`Copy the link for ${email}`} onClick={() => void copyText(url)}>
          Copy
        </Button>
      ) : (
        <span className="meta">{describe({ status, needsLink, isDeactivated: member?.is_deactivated ?? false })}</span>
      )}
      {member && !url && <Link href={paths.member(member.id)}>Open profile</Link>}
    </li>
  )
}

function describe({
  status,
  needsLink,
  isDeactivated,
}: Pick<LinkedInvitation, 'status'> & { needsLink: boolean; isDeactivated: boolean }): string {
  if (status === 'invalid') return 'Not an address'
  if (status === 'already_member') return isDeactivated ? 'Deactivated member' : 'Already a member'
  return needsLink ? 'Invited, without a link' : 'Invited'
}
