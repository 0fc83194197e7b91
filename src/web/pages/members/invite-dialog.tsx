import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { toAddress } from '../../../contract/browser/addresses'
import type { InviteLink } from '../../../contract/invite-links'
import type { Role } from '../../../contract/members'
import { invitePeople, invitePeopleWithLinks } from '../../data/invitations'
import { useMe, useNotificationSettings } from '../../data/me'
import { Button } from '../../parts/button'
import { Dialog } from '../../parts/dialog'
import { getFieldError } from '../../parts/field'
import { formatCount } from '../../parts/format-count'
import { SelectField } from '../../parts/select-field'
import { ProblemNote } from '../../parts/states'
import { AddressField, addEntries } from './address-field'
import { ChannelsField } from './channels-field'
import { InviteLinkForm } from './invite-link-form'
import { InviteLinks } from './invite-links'
import { InviteResults } from './invite-results'
import { roles } from './roles'

const MAX_INVITED = 50

export const roleOptions = roles.map(({ role, label, description }) => ({ value: role, label, note: description }))

/** Invites people by their addresses or with a link. A link is made and changed in the same dialog. */
export default function InviteDialog({ close }: { close(): void }) {
  const { workspace } = useMe()
  const isMailConfigured = useNotificationSettings().data?.is_mail_configured
  const [linkForm, openLinkForm] = useState<{ link?: InviteLink }>()
  const [people, setPeople] = useState<People>({ entries: [], text: '', role: 'member', channelIds: [] })
  const { entries, role, channelIds } = people
  const ready = entries.flatMap((entry) => toAddress(entry) ?? [])
  const invite = useMutation({
    mutationFn: (emails: string[]) =>
      (isMailConfigured === false ? invitePeopleWithLinks : invitePeople)({ emails, role, channel_ids: channelIds }),
  })

  if (linkForm)
    return (
      <Dialog title={linkForm.link ? 'Change the invite link' : 'New invite link'} onClose={close} isWide>
        <InviteLinkForm
          link={linkForm.link}
          isMailConfigured={isMailConfigured ?? false}
          close={() => openLinkForm(undefined)}
        />
      </Dialog>
    )
  if (invite.data)
    return (
      <Dialog title={titleOf(invite.data.filter(({ status }) => status === 'invited').length)} onClose={close} isWide>
        <InviteResults
          results={invite.data}
          isMailConfigured={isMailConfigured !== false}
          close={close}
          inviteMore={() => {
            setPeople({ ...people, entries: [], text: '' })
            invite.reset()
          }}
        />
      </Dialog>
    )
  return (
    <Dialog title={`Invite people to ${workspace.name}`} onClose={close} isWide>
      <InviteForm
        people={people}
        change={(changes) => setPeople((now) => ({ ...now, ...changes }))}
        send={() => invite.mutate(ready)}
        isPending={invite.isPending}
        error={invite.error}
        isMailConfigured={isMailConfigured !== false}
        openLinkForm={(link) => openLinkForm({ link })}
        close={close}
      />
    </Dialog>
  )
}

const titleOf = (invited: number) =>
  invited === 0 ? 'Nobody was invited' : `${formatCount(invited, 'person').replace('persons', 'people')} invited`

interface People {
  entries: string[]
  text: string
  role: Role
  channelIds: string[]
}

interface FormProps {
  people: People
  change(changes: Partial<People>): void
  send(): void
  isPending: boolean
  error: Error | null
  isMailConfigured: boolean
  openLinkForm(link?: InviteLink): void
  close(): void
}

function InviteForm({ people, change, send, isPending, error, isMailConfigured, openLinkForm, close }: FormProps) {
  const { entries, text, role, channelIds } = people
  // What is being typed counts once it is an address.
  const all = toAddress(text) ? addEntries(entries, text) : entries
  const ready = all.filter((entry) => toAddress(entry) !== undefined).length
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!isPending && ready > 0 && findReason(ready, role, channelIds) === undefined) send()
  }
  const channelsError = getFieldError(error, 'channel_ids')
  return (
    <form className="form" onSubmit={submit} noValidate>
      <AddressField
        entries={entries}
        text={text}
        change={(changed) => change({ entries: changed })}
        type={(typed) => change({ text: typed })}
      />
      <div className="invite-choices">
        <SelectField<Role>
          label="Role"
          value={role}
          options={roleOptions}
          choose={(chosen) => change({ role: chosen })}
          hint={roles.find((each) => each.role === role)!.description}
        />
        <ChannelsField
          chosen={channelIds}
          choose={(ids) => change({ channelIds: ids })}
          isForGuests={role === 'guest'}
          error={channelsError}
        />
      </div>
      <p className="or">or share a link</p>
      <InviteLinks openForm={openLinkForm} isMailConfigured={isMailConfigured} />
      {error && !channelsError && <ProblemNote error={error} />}
      <div className="invite-foot">
        <p className="meta" role="status">
          {all.length > 0 &&
            `${ready} of ${formatCount(all.length, 'address').replace('addresss', 'addresses')} are ready`}
        </p>
        <Button onClick={close}>Cancel</Button>
        <Button
          type="submit"
          variant="primary"
          aria-disabled={isPending}
          disabledReason={findReason(ready, role, channelIds)}
        >
          {isMailConfigured ? `Send ${ready > 1 ? `${ready} invitations` : 'invitation'}` : labelWithoutMail(ready)}
        </Button>
      </div>
    </form>
  )
}

const labelWithoutMail = (ready: number) => (ready > 1 ? `Invite ${ready} people` : 'Invite')

function findReason(ready: number, role: Role, channelIds: readonly string[]): string | undefined {
  if (ready === 0) return 'Enter an e-mail address first.'
  if (ready > MAX_INVITED) return `Invite at most ${MAX_INVITED} people at once.`
  if (role === 'guest' && channelIds.length === 0) return 'Choose a channel: guests see nothing else.'
  return undefined
}
