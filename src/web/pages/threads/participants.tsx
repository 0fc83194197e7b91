import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import type { Author } from '../../../contract/shapes'
import type { Thread } from '../../../contract/threads'
import { useMe, usePermissions } from '../../data/me'
import { addToThread, leaveThread, removeFromThread } from '../../data/threads'
import { Avatar } from '../../parts/avatar'
import { Button } from '../../parts/button'
import { Dialog } from '../../parts/dialog'
import { LeaveButton } from '../../parts/leave-button'
import { paths } from '../../paths'
import { PersonPicker } from '../channels/person-picker'

const MAX_AVATARS = 5

/** Who takes part in a thread; in a group, people are added there, removed, and leave. */
export function Participants({ thread }: { thread: Thread }) {
  const [isOpen, open] = useState(false)
  const { members, is_direct } = thread
  const { writeDeniedReason } = usePermissions()
  return (
    <>
      <Button variant="plain" className="participants" onClick={() => open(true)}>
        <span className="avatar-row">
          {members.slice(0, MAX_AVATARS).map((member) => (
            <Avatar key={member.id} of={member} size={24} />
          ))}
        </span>
        <span className="count">{members.length}</span>
        <span className="visually-hidden"> participants</span>
      </Button>
      {isOpen && (
        <Dialog title="Participants" onClose={() => open(false)}>
          {!is_direct && (
            <PersonPicker
              label="Add a member or an app"
              disabledReason={writeDeniedReason}
              isIn={new Set(members.map(({ id }) => id))}
              hidesOnPick
              pick={(who) => void addToThread(thread, who)}
            />
          )}
          <ul className="participant-list">
            {members.map((member) => (
              <Participant key={member.id} member={member} thread={thread} />
            ))}
          </ul>
        </Dialog>
      )}
    </>
  )
}

function Participant({ member, thread }: { member: Author; thread: Thread }) {
  const isMe = useMe().author.id === member.id
  return (
    <li>
      <Avatar of={member} size={28} />
      {member.type === 'member' ? (
        <Link href={paths.member(member.id)}>{member.name}</Link>
      ) : (
        <span>
          {member.name} <span className="chip">App</span>
        </span>
      )}
      {!thread.is_direct && (isMe ? <Leave thread={thread} /> : <Remove member={member} thread={thread} />)}
    </li>
  )
}

/** For admins and whoever started the thread. */
function Remove({ member, thread }: { member: Author; thread: Thread }) {
  const { canChange } = usePermissions()
  if (!canChange(thread.creator)) return null
  return (
    <Button
      icon="close"
      variant="plain"
      label={`Remove ${member.name}`}
      onClick={() => void removeFromThread(thread, member)}
    />
  )
}

function Leave({ thread }: { thread: Thread }) {
  const [, navigate] = useLocation()
  return (
    <LeaveButton
      label="Leave thread"
      warning="You will no longer see it."
      disabledReason={thread.members_count === 1 ? 'You are the only one in this thread.' : undefined}
      leave={() => {
        navigate(paths.threads)
        void leaveThread(thread)
      }}
    />
  )
}
