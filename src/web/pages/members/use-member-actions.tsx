import { type ReactNode, useState } from 'react'
import type { Member, Role } from '../../../contract/members'
import { usePermissions } from '../../data/me'
import { changeMember } from '../../data/members'
import { Button } from '../../parts/button'
import { Dialog, useConfirm } from '../../parts/dialog'
import type { MenuEntry } from '../../parts/menu'
import { RoleChoice } from './role-choice'
import { SignInLinkDialog } from './sign-in-link'

type OpenDialog = { what: 'role' | 'link'; member: Member } | undefined

/** The actions of admins on a member, with their dialogs. For others there are none. */
export function useMemberActions(): [ReactNode, (member: Member) => MenuEntry[]] {
  const { isAdmin } = usePermissions()
  const [question, confirm] = useConfirm()
  const [opened, setOpened] = useState<OpenDialog>()
  const close = () => setOpened(undefined)

  const deactivate = (member: Member) =>
    confirm({
      title: `Deactivate ${member.user.display_name}?`,
      text: 'They are signed out everywhere, and their access tokens and sign-in link are permanently deleted. Everything they wrote stays. You can reactivate them later with a new sign-in link.',
      label: 'Deactivate',
      run: () =>
        void changeMember(member, { is_deactivated: true }, `${member.user.display_name} was not deactivated.`),
    })
  const reactivate = (member: Member) =>
    void changeMember(member, { is_deactivated: false }, `${member.user.display_name} was not reactivated.`)

  const entries = (member: Member): MenuEntry[] => [
    {
      label: 'Change role',
      icon: 'people',
      run: () => setOpened({ what: 'role', member }),
    },
    {
      label: 'New sign-in link',
      icon: 'link',
      disabledReason: member.is_deactivated ? 'Deactivated members cannot sign in.' : undefined,
      run: () => setOpened({ what: 'link', member }),
    },
    member.is_deactivated
      ? { label: 'Reactivate', icon: 'reopen', run: () => reactivate(member) }
      : {
          label: 'Deactivate',
          icon: 'close',
          isDanger: true,
          run: () => deactivate(member),
        },
  ]
  const dialogs = (
    <>
      {question}
      {opened?.what === 'role' && <RoleDialog member={opened.member} close={close} />}
      {opened?.what === 'link' && <SignInLinkDialog member={opened.member} close={close} />}
    </>
  )
  return [dialogs, isAdmin ? entries : () => []]
}

function RoleDialog({ member, close }: { member: Member; close(): void }) {
  const [role, setRole] = useState<Role>(member.role)
  const name = member.user.display_name
  return (
    <Dialog title={`Change role of ${name}`} onClose={close}>
      <RoleChoice value={role} onChange={setRole} />
      <div className="row end">
        <Button onClick={close}>Cancel</Button>
        <Button
          variant="primary"
          onClick={() => {
            close()
            if (role !== member.role) void changeMember(member, { role }, `The role of ${name} was not changed.`)
          }}
        >
          Change role
        </Button>
      </div>
    </Dialog>
  )
}
