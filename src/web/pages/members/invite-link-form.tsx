import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import type { InviteLink, LinkRole } from '../../../contract/invite-links'
import { changeInviteLink, createInviteLink } from '../../data/invitations'
import { Button } from '../../parts/button'
import { Field, getFieldError } from '../../parts/field'
import { type Option, SelectField } from '../../parts/select-field'
import { ProblemNote } from '../../parts/states'
import { formatExactTime } from '../../parts/time'
import { ChannelsField } from './channels-field'
import { roles } from './roles'

interface Props {
  /** Undefined for a new one. */
  link: InviteLink | undefined
  isMailConfigured: boolean
  close(): void
}

const DAY_MS = 24 * 60 * 60 * 1000

/** Nobody becomes an admin by a link that many may have. */
const linkRoles = roles.flatMap(({ role, label, description }) =>
  role === 'admin' ? [] : [{ value: role, label, note: description }],
)

type Ending = 'as it is' | '7' | '30' | '90' | 'never'

const endings = (link: InviteLink | undefined): Option<Ending>[] => [
  ...(link?.expires_at ? [{ value: 'as it is' as const, label: formatExactTime(link.expires_at) }] : []),
  { value: '7', label: 'In 7 days' },
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: 'never', label: 'Never' },
]

/** Whom a link lets in, where, and until when. */
export function InviteLinkForm({ link, isMailConfigured, close }: Props) {
  const [role, setRole] = useState<LinkRole>(link?.role ?? 'member')
  const [channelIds, setChannelIds] = useState(link?.channel_ids ?? [])
  const [ending, setEnding] = useState<Ending>(link ? (link.expires_at ? 'as it is' : 'never') : '30')
  const save = useMutation({
    mutationFn: (form: FormData) => {
      const uses = String(form.get('max_uses')).trim()
      const settings = {
        role,
        channel_ids: channelIds,
        max_uses: uses === '' ? null : Number(uses),
        ...(isMailConfigured && { email_domain: String(form.get('email_domain')).trim() || null }),
        ...(ending !== 'as it is' && { expires_at: timeOf(ending) }),
      }
      return link ? changeInviteLink(link, settings) : createInviteLink(settings)
    },
    onSuccess: close,
  })
  const errorOf = (field: string) => getFieldError(save.error, field)
  const isShownInField = ['max_uses', 'email_domain', 'channel_ids'].some((field) => errorOf(field) !== undefined)
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (!save.isPending) save.mutate(new FormData(event.currentTarget))
  }
  return (
    <form className="form" onSubmit={submit} noValidate>
      <div className="invite-choices">
        <SelectField<LinkRole>
          label="Role"
          autoFocus
          value={role}
          options={linkRoles}
          choose={setRole}
          hint={roles.find((each) => each.role === role)!.description}
        />
        <ChannelsField
          chosen={channelIds}
          choose={setChannelIds}
          isForGuests={role === 'guest'}
          error={errorOf('channel_ids')}
        />
      </div>
      <div className="invite-limits">
        <SelectField<Ending> label="Ends" value={ending} options={endings(link)} choose={setEnding} />
        <Field
          label="People who can join"
          name="max_uses"
          inputMode="numeric"
          autoComplete="off"
          placeholder="Any number"
          defaultValue={link?.max_uses ?? ''}
          hint={link && `${link.uses_count.toLocaleString()} so far.`}
          error={errorOf('max_uses')}
        />
        <Field
          label="Only addresses of"
          name="email_domain"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          placeholder={isMailConfigured ? 'Any domain' : ''}
          defaultValue={link?.email_domain ?? ''}
          disabled={!isMailConfigured}
          hint={isMailConfigured ? 'Such as acme.example.' : 'Needs e-mail, which is not set up on this server.'}
          error={errorOf('email_domain')}
        />
      </div>
      <p className="meta">
        {isMailConfigured
          ? 'Everyone who joins confirms their address first. The link works as long as you are an admin.'
          : 'Everyone who has the link can join, with an address that nobody has confirmed. It works as long as you are an admin.'}
        {link && ' If you add a private channel, the link gets a new address, and the old one stops working.'}
      </p>
      {save.error && !isShownInField && <ProblemNote error={save.error} />}
      <div className="row end">
        <Button onClick={close}>Back</Button>
        <Button
          type="submit"
          variant="primary"
          aria-disabled={save.isPending}
          disabledReason={
            role === 'guest' && channelIds.length === 0 ? 'Choose a channel: guests see nothing else.' : undefined
          }
        >
          {link ? 'Save' : 'Create link'}
        </Button>
      </div>
    </form>
  )
}

const timeOf = (ending: Exclude<Ending, 'as it is'>): string | null =>
  ending === 'never' ? null : new Date(Date.now() + Number(ending) * DAY_MS).toISOString()
