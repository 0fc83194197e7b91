import { useState } from 'react'
import type { InviteLink } from '../../../contract/invite-links'
import { revokeInviteLink, useInviteLinks } from '../../data/invitations'
import { Button } from '../../parts/button'
import { copyText } from '../../parts/copy-link'
import { formatCount } from '../../parts/format-count'
import { Icon } from '../../parts/icon'
import { Loading, ProblemNote, Skeleton } from '../../parts/states'
import { useNow } from '../../parts/time'

interface Props {
  openForm(link?: InviteLink): void
  isMailConfigured: boolean
}

/** The invite links there are, the newest first: the others are behind a button. */
export function InviteLinks({ openForm, isMailConfigured }: Props) {
  const { data: links, error, refetch } = useInviteLinks()
  const [isOpen, setOpen] = useState(false)
  if (error && !links) return <ProblemNote error={error} retry={() => void refetch()} />
  if (!links)
    return (
      <Loading what="invite links">
        <Skeleton height={38} />
      </Loading>
    )
  const [first, ...others] = links
  if (!first)
    return (
      <div className="spread">
        <p className="meta">One link for several people. It can be limited, and turned off at any time.</p>
        <Button icon="link" onClick={() => openForm()}>
          Create a link
        </Button>
      </div>
    )
  return (
    <div className="invite-links">
      <ul aria-label="Invite links">
        {(isOpen ? links : [first]).map((link) => (
          <LinkRow key={link.id} link={link} change={() => openForm(link)} isMailConfigured={isMailConfigured} />
        ))}
      </ul>
      <div className="row">
        {others.length > 0 && (
          <Button variant="plain" icon="down" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {isOpen ? 'Show only the newest' : formatCount(others.length, 'more link')}
          </Button>
        )}
        <Button variant="plain" icon="plus" onClick={() => openForm()}>
          New link
        </Button>
      </div>
    </div>
  )
}

function LinkRow({ link, change, isMailConfigured }: { link: InviteLink; change(): void; isMailConfigured: boolean }) {
  const [isAsking, ask] = useState(false)
  const now = useNow()
  const { url } = link
  return (
    <li className="invite-link">
      <div className="link-to-copy">
        <span className="link-field">
          <Icon name="link" />
          <input
            className="input"
            readOnly
            aria-label="Invite link"
            value={url ?? 'Shown only to members of all its channels'}
            onFocus={(event) => event.target.select()}
          />
        </span>
        <Button
          icon="copy"
          disabledReason={url === null ? 'It leads to a private channel you are not in.' : undefined}
          onClick={() => void copyText(url!)}
        >
          Copy
        </Button>
      </div>
      {isAsking ? (
        <p className="meta row">
          Nobody will be able to join by this link.
          <button type="button" className="text-button danger" onClick={() => void revokeInviteLink(link)}>
            Turn off for good
          </button>
          <button type="button" className="text-button" onClick={() => ask(false)}>
            Keep it
          </button>
        </p>
      ) : (
        <p className="meta row">
          <span>{describeLink(link, now, isMailConfigured)}</span>
          <button type="button" className="text-button" onClick={change}>
            Change
          </button>
          <button type="button" className="text-button danger" onClick={() => ask(true)}>
            Turn off
          </button>
        </p>
      )}
    </li>
  )
}

const day = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric' })

/** “For @acme.example addresses · as member · 25 uses left · ends Nov 30” */
function describeLink(link: InviteLink, now: number, isMailConfigured: boolean): string {
  const { email_domain, role, max_uses, uses_count, expires_at } = link
  const left = max_uses === null ? undefined : Math.max(0, max_uses - uses_count)
  const ends = expires_at === null ? undefined : Date.parse(expires_at)
  const facts = [
    email_domain
      ? `For @${email_domain} addresses`
      : isMailConfigured
        ? 'For any address'
        : 'For any address, unconfirmed',
    `as ${role}`,
    left === undefined ? formatCount(uses_count, 'use') : left === 0 ? 'used up' : `${formatCount(left, 'use')} left`,
    ends === undefined ? 'does not end' : ends <= now ? 'expired' : `ends ${day.format(ends)}`,
  ]
  return facts.join(' · ')
}
